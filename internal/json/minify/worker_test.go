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
)

// A file that changes between the look that says what follows a block and the one that minifies it is
// noticed: what was handed on is wrong.
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
		r, err := NewRun(file, out, Spec{Validate: validate}, 0)
		if err != nil {
			t.Fatal(err)
		}
		src := []byte(`["a", "b", "c"]`)
		summarize := r.form.Func.Summarize
		r.form.Func.Summarize = func(b []byte) minify.Summary {
			sum := summarize(b)
			src[1] = ' '
			r.states.Put(0, place{})
			return sum
		}
		var stop atomic.Bool
		_ = r.Searcher(nil, &stop) // another worker
		w := r.Searcher(nil, &stop).(*worker)
		r.states.Take(0, &stop) // the block before is not done, so that this one is summed up
		w.Search(engine.Block{Off: 0, Data: src, Len: len(src)}, nil)
		if r.err == nil || !strings.Contains(r.err.Error(), "changed near 0 while it was read: try again") {
			t.Errorf("validate %v: got %v", validate, r.err)
		}
	}
}

// The buffer has room for what grows most.
func TestOutBytes(t *testing.T) {
	for _, unit := range []string{"0[]", `0""`, "[]", "0 ", `"a"`} {
		for n := range 200 {
			src := strings.Repeat(unit, n/len(unit)+1)[:n]
			r := &Run{form: minify.Best(), block: blockBytes}
			w := &worker{Run: r, describer: jsonscan.NewDescriber(jsonscan.Best().Func)}
			kept, _, _ := w.minify([]byte(src), place{begun: true, value: true})
			if room := outBytes(n) - 64; kept > room {
				t.Errorf("%d bytes of %q are %d bytes, and there is room for %d", n, unit, kept, room)
			}
		}
	}
}
