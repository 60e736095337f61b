package minify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/options"
)

// TestChangedWhileRead changes a block between its summary and its minification. The run must report
// that: the state it has handed over is wrong.
func TestChangedWhileRead(t *testing.T) {
	for _, validate := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(name, []byte("[1]"), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := source.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		out, err := NewOutput(&bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRun(file, out, options.Minify{Validate: validate}, 0)
		if err != nil {
			t.Fatal(err)
		}
		src := []byte(`["a", "b", "c"]`)
		summarize := r.variant.Func.Summarize
		r.variant.Func.Summarize = func(b []byte) minify.Summary {
			sum := summarize(b)
			src[1] = ' '
			r.states.Put(0, textState{})
			return sum
		}
		var stop atomic.Bool
		_ = r.Searcher(nil, &stop) // another worker
		w := r.Searcher(nil, &stop).(*worker)
		r.states.Take(0, &stop) // as if the block before were not done, so that this one is summarized
		w.Search(engine.Block{Off: 0, Data: src, Len: len(src)}, nil)
		if r.err == nil || !strings.Contains(r.err.Error(), "changed near 0 while it was read: try again") {
			t.Errorf("validate %v: got %v", validate, r.err)
		}
	}
}

// TestOutBytes checks that the buffer has room for the texts that grow most.
func TestOutBytes(t *testing.T) {
	for _, unit := range []string{"0[]", `0""`, "[]", "0 ", `"a"`} {
		for n := range 200 {
			src := strings.Repeat(unit, n/len(unit)+1)[:n]
			r := &Run{variant: minify.Best(), block: blockBytes}
			w := &worker{Run: r, describer: jsonscan.NewDescriber(jsonscan.Best().Func)}
			kept, _, _ := w.minify([]byte(src), textState{begun: true, value: true})
			if room := outBytes(n) - 64; kept > room {
				t.Errorf("%d bytes of %q are %d bytes, and there is room for %d", n, unit, kept, room)
			}
		}
	}
}
