package decompress

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// Each row is complete, its names are its own, and docs/find.md and the tests of all compressors know it.
func TestRows(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/find.md")
	if err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{}
	own := func(w *row, names ...string) {
		for _, name := range names {
			if owner[name] != "" || name == "" {
				t.Errorf("%q is of %s and of %s", name, owner[name], w.name)
			}
			owner[name] = w.name
		}
	}
	for i, w := range rows {
		f := Format(i)
		own(w, w.name)
		own(w, w.suffixes...)
		for _, s := range w.signatures {
			own(w, s.magic)
			if s.enough > s.need || len(s.magic) > s.need || s.need > HeadBytes {
				t.Errorf("%s: magic %q, need %d, enough %d", w.name, s.magic, s.need, s.enough)
			}
		}
		for _, suffix := range w.suffixes {
			if got, ok := ByName("a" + strings.ToUpper(suffix)); got != f || !ok {
				t.Errorf("%s: the format of %s is %v", w.name, suffix, got)
			}
		}
		if w.parallel() && w.open == nil || (w.blocks || w.walks || w.ahead != nil) && !w.parallel() {
			t.Errorf("%s: it is parallel without a decoder, or says what only parallel ones need", w.name)
		}
		if w.open == nil || len(w.signatures) == 0 {
			continue
		}
		for _, name := range []string{w.name, w.variant} {
			if !strings.Contains(string(doc), name) || !strings.Contains(Names(), name) {
				t.Errorf("docs/find.md and --help must name %s", name)
			}
		}
		if !slices.ContainsFunc(compressors, func(c compressor) bool { return c.format == f }) {
			t.Errorf("%s: compressors has no line for it", w.name)
		}
	}
}

// The workers that a bound on memory leaves fit into it, whatever the format.
func TestWorkersFit(t *testing.T) {
	for _, w := range rows {
		for mib := range int64(rounds.Of(600)) {
			o := Options{Workers: 64, MemBytes: (mib + 1) << 20}
			n := int64(w.workers(o))
			used := n * (workerBytes() + w.aheadBytes())
			if w.current != nil {
				used += w.current(o.MemBytes)
			}
			if n < 1 || n > 1 && used > o.MemBytes || !w.parallel() && n > 2 {
				t.Fatalf("%s: %d workers with %d MiB take %d MiB", w.name, n, mib+1, used>>20)
			}
			if n, all := w.workers(Options{Workers: 5}), map[bool]int{true: 5, false: 2}[w.parallel()]; n != all {
				t.Fatalf("%s: %d workers without a bound, not %d", w.name, n, all)
			}
		}
	}
}
