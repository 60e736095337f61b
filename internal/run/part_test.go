package run

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// sent returns what another process gets when v is sent to it.
func sent[T any](t *testing.T, v *T) *T {
	t.Helper()
	var b bytes.Buffer
	got := new(T)
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&b).Decode(got); err != nil {
		t.Fatal(err)
	}
	return got
}

// cuts returns the parts of a range, empty ones too.
func cuts(r *rand.Rand, bytes int64) (parts []source.Range) {
	at := []int64{0, bytes}
	for range 1 + r.IntN(12) {
		at = append(at, r.Int64N(bytes+1))
	}
	slices.Sort(at)
	for i, off := range at[1:] {
		if off > at[i] {
			parts = append(parts, source.Range{Off: at[i], End: off})
		}
	}
	return parts
}

// TestCountParts counts in random parts, sends the results, joins them in any order and any groups, and compares
// with one run. Without one part, or with one twice, there is no total.
func TestCountParts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	text := make([]byte, 40_000)
	for i := range text {
		text[i] = "aaab,\"\n\n\x00"[r.IntN(9)]
	}
	for _, infinity := range []string{"\x00\x7c", "\x80\xff", "\x7c\x00", "\x00\x00\x80\x7f"} { // of several types
		for range 300 {
			copy(text[r.IntN(len(text)):], infinity)
		}
	}
	for range 300 { // characters, which parts may cut
		copy(text[r.IntN(len(text)):], []string{"ä", "€", "😀 ", "\u2003", "\xe2\x82"}[r.IntN(5)])
	}
	query := func(q *Query, err error) *Query {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	queries := map[string]*Query{"lines": Lines(), "rows": Rows(','), "nonzero": NonZero(),
		"words": Words(), "characters": Chars(), "text": LinesWordsChars(),
		"overlapping": query(Any(question.Literals{Texts: []string{"aa", "aaba"}})), "regex": query(Regexps([]string{"a+b", "b$"})),
		"bytes":  query(Histogram(question.Values{Type: "u8"}, question.Bins{})),
		"window": query(Histogram(question.Values{Type: "i32"}, question.Bins{Width: "100000000"}))}
	for _, kind := range compare.TypeNames() {
		queries[kind] = query(Statistics(question.Values{Type: question.ValueType(kind), Stride: 9}))
	}
	for name, q := range queries {
		for range 4 {
			in := func() *Input {
				in, err := FromReaderAt("text", bytes.NewReader(text), int64(len(text)), false)
				if err != nil {
					t.Fatal(err)
				}
				return in
			}
			whole, err := Count(t.Context(), in(), q, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := answerText(&whole)
			var parts, again []*count.Partial
			for _, c := range cuts(r, int64(len(text))) {
				part, _, err := CountPart(t.Context(), in(), q, Options{Part: &c})
				if err != nil {
					t.Fatal(name, err)
				}
				parts, again = append(parts, sent(t, part)), append(again, sent(t, part))
			}
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			n := r.IntN(len(parts) + 1)
			some, err := q.Join(parts[:n])
			if err != nil {
				t.Fatal(name, err)
			}
			rest := slices.Clone(parts[n:])
			for _, p := range some {
				rest = append(rest, sent(t, p))
			}
			total, err := q.Total(rest)
			if err != nil || answerText(&total) != want {
				t.Errorf("%s: parts: %s, %v; one run: %s", name, answerText(&total), err, want)
			}
			if i := r.IntN(len(again)); len(again) > 2 && i > 0 && i < len(again)-1 {
				if _, err := q.Total(slices.Delete(slices.Clone(again), i, i+1)); err == nil {
					t.Errorf("%s: a total without a part", name)
				}
				if _, err := q.Total(append(again, again[i])); err == nil {
					t.Errorf("%s: a total with a part twice", name)
				}
			}
		}
	}
}

// answerText returns what a report answers, as text.
func answerText(r *Report) string {
	text := fmt.Sprint(r.Hits)
	if r.Stats != nil {
		text += fmt.Sprintf(" %+v", *r.Stats)
	}
	if r.Histogram != nil {
		text += fmt.Sprintf(" %+v", *r.Histogram)
	}
	if r.Text != nil {
		text += fmt.Sprintf(" %+v", *r.Text)
	}
	return text
}

// TestTableParts reads a table in random parts, merges the parts in any order, and compares with one run.
func TestTableParts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2))
	var text strings.Builder
	text.WriteString("id,country,amount\n")
	for i := range 1500 {
		amount := fmt.Sprintf("%d.%d", r.IntN(1000), r.IntN(100))
		if r.IntN(50) == 0 {
			amount = "many"
		}
		fmt.Fprintf(&text, "%d,%s,%s\n", i, []string{"DE", "FR", "", "US"}[r.IntN(4)], amount)
		if r.IntN(300) == 0 {
			text.WriteString("malformed,record\n")
		}
	}
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Header: true}, Malformed: options.MalformedSkip, Questions: []query.Question{
		{Kind: query.Rows}, {Kind: query.Top, Keys: "amount", Limit: 3},
		{Kind: query.Group, Keys: "country", Aggregates: "count,sum(amount),mean(amount),max(amount),p50(amount),distinct(amount)"},
		{Kind: query.Group, Keys: "amount[:1]", Aggregates: "min(country),last(country),first(amount),mode(amount),count(country)," +
			"stddev(amount),median(amount * 2)", Having: "count > 1", By: "last(country) asc"}}}
	name := filepath.Join(t.TempDir(), "orders.csv")
	if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func() *Input {
		in, err := Open(name, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		return in
	}
	var want rowsText
	if _, err := TableAll(t.Context(), source.Expand([]string{name}, false), spec, Options{},
		Callbacks{Done: func(_ string, _ Report, err error) error { return err }}, &want); err != nil {
		t.Fatal(err)
	}
	head, ok, err := ReadTableHead(t.Context(), open(), spec, Options{})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for range 6 {
		var parts []*table.Part
		for _, c := range cuts(r, int64(text.Len())) {
			part, _, err := head.TablePart(t.Context(), open(), 0, fields.AtField, spec, Options{Part: &c})
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, sent(t, part))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		n := r.IntN(len(parts) + 1)
		merged, err := head.MergeTable(t.Context(), spec, parts[:n], Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got rowsText
		if _, err := head.AnswerTable(t.Context(), spec, append(parts[n:len(parts):len(parts)], sent(t, merged)), Options{},
			&got); err != nil || got.text.String() != want.text.String() {
			t.Errorf("%d parts, %d of them merged: %v\n%s\nwant\n%s", len(parts), n, err, &got.text, &want.text)
		}
		if n > 2 {
			damagedParts(t, head, spec, merged)
		}
	}
}

// damagedParts cuts the encodings of a part within a group: an error.
func damagedParts(t *testing.T, head TableHead, spec query.Spec, part *table.Part) {
	t.Helper()
	for i := range part.Answers {
		damaged := sent(t, part)
		groups := damaged.Answers[i].Groups
		if len(groups) == 0 {
			continue
		}
		damaged.Answers[i].Groups = groups[:len(groups)-1]
		if _, err := head.MergeTable(t.Context(), spec, []*table.Part{damaged}, Options{}); err == nil {
			t.Errorf("answer %d: damaged groups are merged", i)
		}
	}
	damaged := sent(t, part)
	damaged.Answers = damaged.Answers[1:]
	if _, err := head.MergeTable(t.Context(), spec, []*table.Part{damaged}, Options{}); err == nil {
		t.Error("a part without an answer is merged")
	}
}

// rowsText writes answers as text.
type rowsText struct{ text strings.Builder }

func (w *rowsText) Begin(title string, columns []answer.Column) error {
	fmt.Fprintln(&w.text, title, columns)
	return nil
}

func (w *rowsText) Row(cells []answer.Cell) error {
	for _, c := range cells {
		fmt.Fprintf(&w.text, "%v %q %v %v %v|", c.Null, c.Text, c.Int, c.Big, c.Float)
	}
	fmt.Fprintln(&w.text)
	return nil
}

func (w *rowsText) End(notes []string) error {
	fmt.Fprintln(&w.text, notes)
	return nil
}

// TestPartsGiveAllPlaces: of overlapping places each part gives all, as only the whole can tell which of them count.
func TestPartsGiveAllPlaces(t *testing.T) {
	q := must(t)(Text("aa"))
	whole := source.Range{End: 6}
	var got []int64
	_, err := FindPart(t.Context(), FromBytes("t", []byte("aaaa b")), q, Options{Part: &whole}, func(hits []answer.Hit) error {
		for _, h := range hits {
			got = append(got, h.Off)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("places %v, %v", got, err)
	}
}
