package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// TestTruncatedBeforeFirstRead truncates a file between the moment it is opened and its first read, as copytruncate
// does. Whatever is asked, the answer is incomplete, and what was read and what is named as unread is all of it.
func TestTruncatedBeforeFirstRead(t *testing.T) {
	of := func(q query.Question) func(*testing.T, *Input, Options) (int64, []failure.UnreadError, bool, error) {
		return func(t *testing.T, in *Input, o Options) (int64, []failure.UnreadError, bool, error) {
			spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{q}}
			r, err := Table(t.Context(), in, spec, o, &answered{})
			return r.Bytes, r.Unread, r.Complete, err
		}
	}
	questions := map[string]func(*testing.T, *Input, Options) (int64, []failure.UnreadError, bool, error){
		"find": func(t *testing.T, in *Input, o Options) (int64, []failure.UnreadError, bool, error) {
			r, err := Find(t.Context(), in, must(t)(Text("nowhere")), o, func([]answer.Hit) error { return nil })
			return r.Bytes, r.Unread, r.Complete, err
		},
		"count": func(t *testing.T, in *Input, o Options) (int64, []failure.UnreadError, bool, error) {
			r, err := Count(t.Context(), in, Lines(), o)
			return r.Bytes, r.Unread, r.Complete, err
		},
		"grep": func(t *testing.T, in *Input, o Options) (int64, []failure.UnreadError, bool, error) {
			q, err := grep.Compile(question.Lines{Patterns: []string{"nowhere"}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Grep(context.Background(), in, q, &bytes.Buffer{}, grep.Options{Max: -1}, o)
			return r.Bytes, r.Unread, r.Complete, err
		},
		"rows":    of(query.Question{Kind: query.Rows}),
		"groups":  of(query.Question{Kind: query.Group, Keys: "1"}),
		"columns": of(query.Question{Kind: query.Columns}),
		"select":  of(query.Question{Kind: query.Select}),
		"nth":     of(query.Question{Kind: query.Nth, Records: []query.Span{{First: 3, Last: 3}}, Columns: []string{"1"}}),
	}
	for name, ask := range questions {
		for _, lines := range []int{1, 1000, 300_000} {
			text := strings.Repeat("a,\"line\",of text\n", lines)
			for _, left := range []int{0, 1, len(text) / 2, len(text) - 1} {
				for _, engine := range []string{"auto", "pread", "mmap"} {
					t.Run(fmt.Sprintf("%s, %d of %d, %s", name, left, len(text), engine), func(t *testing.T) {
						file := write(t, []byte(text))
						in := open(t, file)
						defer in.Close()
						if err := os.Truncate(file, int64(left)); err != nil {
							t.Fatal(err)
						}
						read, unread, complete, err := ask(t, in, Options{Run: options.Run{Engine: options.Engine(engine)}})
						if err != nil {
							t.Fatal(err)
						}
						missing := int64(0)
						for _, u := range unread {
							missing += u.Len
						}
						if complete || missing == 0 || read+missing != int64(len(text)) {
							t.Errorf("complete %v, %d bytes read, %d unread of %d: %+v", complete, read, missing, len(text), unread)
						}
					})
				}
			}
		}
	}
}
