package table

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
)

// TestUnreadInABlock: a block of a mapping turns out to be unreadable in the middle, after its
// state has been handed on. The blocks after the unreadable range are still processed, whether
// the range ends with the block or after it.
func TestUnreadInABlock(t *testing.T) {
	const line, block = "a,\"b\nc\"\n", 64
	text := []byte(strings.Repeat(line, 40))
	name := filepath.Join(t.TempDir(), "file")
	for _, quote := range []byte{'"', 0} {
		for _, kept := range []bool{false, true} {
			for unreadEnd := 2 * block; unreadEnd <= 4*block; unreadEnd += block {
				for cut := 1; cut < block; cut += 9 {
					spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: quote}, Malformed: options.MalformedSkip, Questions: []query.Question{{Kind: query.Rows}}}
					if kept {
						spec.Questions = append(spec.Questions, query.Question{Kind: query.Nth, Records: []query.Span{{First: 0, Last: 0}}, Columns: []string{"1"}})
					}
					got := readAround(t, name, text, spec, block, block+cut, unreadEnd)
					want := int64(0) // records that lie in what could be read
					record := line
					if quote == 0 {
						record = "a,\"b\n" // the other half of a line has one field, and is malformed
					}
					for at := 0; at < len(text); at += len(line) {
						// The line feed before a record shows that it begins.
						if end := at + len(record); end <= block+cut || at-1 >= unreadEnd {
							want++
						}
					}
					if got != want {
						t.Fatalf("quote %q, bytes %d to %d unread, n-th records %v: %d records, want %d",
							quote, block+cut, unreadEnd, kept, got, want)
					}
				}
			}
		}
	}
}

// readAround reads a text block by block. The bytes from off to end turn out to be unreadable
// after the block that contains off has been begun. It returns the number of matching records.
func readAround(t *testing.T, name string, text []byte, spec query.Spec, block, off, end int) int64 {
	t.Helper()
	r, err := NewRun(spec, Options{Workers: 1, MemBytes: 1 << 20, AheadBytes: 2 * block})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(name, int64(off)); err != nil { // nor can a record be read on
		t.Fatal(err)
	}
	if ok, err := r.Input(f, source.Range{End: int64(len(text))}, text, true); err != nil || !ok {
		t.Fatal(err, ok)
	}
	var stop atomic.Bool
	s := r.Searcher(func(failure.UnreadError) {}, &stop)
	done := make(chan struct{})
	go func() {
		defer close(done)
		yield := func(answer.Hit) bool { return true }
		for at := 0; at < len(text); at += block {
			own := min(block, len(text)-at)
			b := engine.Block{Off: int64(at), Data: text[at:min(len(text), at+own+2*block)], Len: own}
			switch {
			case at <= off && off < at+own:
				s.(*worker).enter(b) // and is left by a panic
				b.Data, b.Len = b.Data[:off-at], off-at
				s.Search(b, yield)
				s.(scan.Misser).Miss(failure.UnreadError{Name: name, Off: int64(off), Len: int64(end - off), Err: errors.New("gone")})
			case at < end && at+own > off:
			default:
				if at+own <= off && at+len(b.Data) > off { // its context ends where nothing can be read
					b.Data = b.Data[:off-at]
				}
				s.Search(b, yield)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		stop.Store(true)
		<-done
		t.Fatalf("bytes %d to %d unread: a block behind them was waited for in vain", off, end)
	}
	s.(scan.Finisher).Finish()
	if err := errors.Join(r.Done(), r.Answer(context.Background(), &collected{}), r.Close()); err != nil {
		t.Fatal(err)
	}
	return r.Report.Records
}
