package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// TestKeepBudget: the first inputs stay, as many as fit together.
func TestKeepBudget(t *testing.T) {
	const most = 10 * keptUnasked
	var k keepBudget
	k.ask.Do(func() { k.most = most })
	o := &Options{Cache: CacheAuto}
	for i := range 12 {
		want := CacheAuto
		if (i+1)*keptUnasked > most {
			want = CacheNeutral
		}
		if got := k.policy(o, keptUnasked); got != want {
			t.Errorf("input %d: %s instead of %s", i, got, want)
		}
	}
	for _, cache := range []Cache{CacheKeep, CacheNeutral} {
		if got := k.policy(&Options{Cache: cache}, most); got != cache {
			t.Errorf("%s instead of %s", got, cache)
		}
	}
	small := keepBudget{}
	small.ask.Do(func() {}) // nothing fits
	if got := small.policy(o, keptUnasked); got != CacheAuto {
		t.Errorf("%d bytes: %s", keptUnasked, got)
	}
	if got := small.policy(o, 1); got != CacheNeutral {
		t.Errorf("%d bytes: %s", keptUnasked+1, got)
	}
}

// TestBytesRead: a short range of a big file is little to keep.
func TestBytesRead(t *testing.T) {
	in := FromBytes("input", make([]byte, 1000))
	length := int64(10)
	if got := in.bytesRead(&Options{Length: &length}); got != 10 {
		t.Errorf("%d bytes of a range of 10", got)
	}
	if got := in.bytesRead(&Options{}); got != 1000 {
		t.Errorf("%d bytes of 1000", got)
	}
}

// TestNeutralOfSmallFiles searches files of a folder, small and not so small, that are not in the page
// cache, and looks at it afterwards; the answers are those of a run that keeps.
func TestNeutralOfSmallFiles(t *testing.T) {
	folder, err := os.MkdirTemp(".", ".neutral-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	var names []string
	for i, n := range []int{1, 4096, 100_000, smallBytesMax.Real(), smallBytesMax.Real() + 1, 1 << 20} {
		name := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(strings.Repeat("x", n-1)+"y"), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	find := func(cache Cache) (hits []string, cachedBytes int64) {
		for _, name := range names {
			cacheFirst(t, name, 0)
		}
		v := Visitor{
			Hits: func(name string, found []Hit) error { hits = append(hits, fmt.Sprint(name, found)); return nil },
			Done: func(_ string, _ Report, err error) error { return err },
		}
		if _, err := FindAll(t.Context(), listed(names...), must(t)(Text("y")), Options{Cache: cache}, v); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := source.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			n, err := f.CachedBytes(source.Range{End: f.Bytes})
			if err != nil {
				t.Fatal(err)
			}
			cachedBytes += n
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return hits, cachedBytes
	}
	kept, bytes := find(CacheAuto)
	if bytes == 0 || len(kept) != len(names) {
		t.Errorf("%d bytes are cached; hits %v", bytes, kept)
	}
	neutral, bytes := find(CacheNeutral)
	if bytes != 0 || !slices.Equal(neutral, kept) {
		t.Errorf("neutral: %d bytes are cached; hits %v instead of %v", bytes, neutral, kept)
	}
}
