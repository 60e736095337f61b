package grep

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/question"
)

// searched searches blocks of a text, which come in an order of their own, and overwrites each block when its search
// has returned: what is printed later must be a copy.
func searched(t *testing.T, o Options, text string, blocks [][2]int) (string, Result) {
	t.Helper()
	q, err := Compile(question.Lines{Patterns: []string{"needle"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	span := source.Range{End: int64(len(text))}
	run := NewRun(q, o, source.FromBytes("text", []byte(text)), span, NewSink(&Output{Writer: &out}, nil))
	var stop atomic.Bool
	lost := func(u failure.UnreadError) { t.Errorf("lost %+v", u) }
	waits := o.Before+o.After > 0 || o.Offsets // blocks with selected lines wait for their turn
	var wg sync.WaitGroup
	for _, b := range blocks {
		w := run.Searcher(lost, &stop)
		search := func() {
			data := []byte(text[b[0]:b[1]])
			w.Search(engine.Block{Off: int64(b[0]), Data: data, Len: len(data)}, nil)
			clear(data)
			w.(scan.Finisher).Finish()
		}
		if waits {
			wg.Go(search)
		} else {
			search()
		}
	}
	wg.Wait()
	result, err := run.Done(true)
	if err != nil {
		t.Fatal(err)
	}
	result.Time = 0
	return out.String(), result
}

// TestDetached: blocks that come before their turn do not wait for it, and are printed in order.
func TestDetached(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	options := []Options{{}, {Invert: true}, {Mode: Count}, {Mode: Count, Invert: true}, {Format: Format{Numbers: true}},
		{Format: Format{Only: true}}, {Format: Format{Name: "f", Color: true}}, {Max: 3}, {Text: true},
		{Before: 2}, {After: 1, Max: 2}, {Before: 1, After: 3, Format: Format{Numbers: true}}, {Format: Format{Offsets: true}},
		{After: 1, Format: Format{Offsets: true}}}
	for i := range 400 {
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString([]string{"needle", "x", " ", "\n", "\n", "a longer line\n", "needle and more\n"}[r.IntN(7)])
		}
		text := b.String()
		var blocks [][2]int
		for at := 0; at < len(text); {
			end := min(at+1+r.IntN(60), len(text))
			blocks = append(blocks, [2]int{at, end})
			at = end
		}
		o := options[i%len(options)]
		if o.Max == 0 {
			o.Max = -1
		}
		want, wantResult := searched(t, o, text, blocks)
		r.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		got, result := searched(t, o, text, blocks)
		if got != want || fmt.Sprint(result) != fmt.Sprint(wantResult) {
			t.Fatalf("%+v, %q in the order %v:\ngot  %q, %+v\nwant %q, %+v", o, text, blocks, got, result, want, wantResult)
		}
	}
}

// TestDetachedBehindAZero: a block that was searched before the zero byte of an earlier one was known is not printed.
func TestDetachedBehindAZero(t *testing.T) {
	text := "a\n\x00\n" + "needle\n" + "needle\n"
	for _, o := range []Options{{Max: -1}, {Max: -1, Invert: true}, {Max: -1, Format: Format{Numbers: true}}} {
		want, _ := searched(t, o, text, [][2]int{{0, 4}, {4, 11}, {11, 18}})
		got, result := searched(t, o, text, [][2]int{{11, 18}, {4, 11}, {0, 4}})
		if got != want || result.Binary != 2 || !strings.Contains(got, "binary file matches (a zero byte at offset 2") {
			t.Errorf("%+v: %q, %+v, want %q", o, got, result, want)
		}
	}
}

// TestDetachedBytes: what waits is bounded, and what was printed does not count.
func TestDetachedBytes(t *testing.T) {
	const most, left = 40_000, 9 // more than 4 KiB for each, of which 10 would be too many
	detachedBytes.Set(most)
	t.Cleanup(func() { detachedBytes.Set(detachedBytes.Real()) })
	q, err := Compile(question.Lines{Patterns: []string{"needle"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	span := source.Range{End: 1 << 30}
	run := NewRun(q, Options{Max: -1}, source.FromBytes("text", nil), span, NewSink(&Output{Writer: &out}, nil))
	var stop atomic.Bool
	w := run.Searcher(nil, &stop)
	line := []byte("a needle\n")
	search := func(i int) { w.Search(engine.Block{Off: int64(i * len(line)), Data: line, Len: len(line)}, nil) }
	for i := range left {
		search(1 + i)
	}
	full := run.detached.Load()
	stop.Store(true) // so that the next one does not wait for its turn
	search(1 + left)
	if n := run.detached.Load(); n != full || n > most || n <= 4096*left {
		t.Errorf("%d bytes wait, then %d, of at most %d", full, n, most)
	}
	stop.Store(false)
	search(0)
	if n := run.detached.Load(); n != 0 {
		t.Errorf("%d bytes still wait", n)
	}
	if want := strings.Repeat(string(line), 1+left); out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
