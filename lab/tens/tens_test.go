package tens

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"
)

// integers makes a file of size bytes with integers from 0 to 20, and returns how many of them are
// tens. Any bytes after the last whole integer look like the start of another ten.
func integers(t *testing.T, size int) (path string, tens int64) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(size)))
	all := make([]int32, size/valueBytes+1)
	for i := range all {
		all[i] = random.Int32N(21)
	}
	all[len(all)-1] = ten
	for _, v := range all[:size/valueBytes] {
		if v == ten {
			tens++
		}
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), size)
	path = filepath.Join(t.TempDir(), "integers")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, tens
}

// each runs test for every variant that can run here, the parallel ones with several numbers of
// workers.
func each(t *testing.T, test func(t *testing.T, v Variant, workers int)) {
	for _, v := range Variants() {
		workers := []int{1}
		if v.Parallel {
			workers = []int{1, 2, 3, 7}
		}
		for _, n := range workers {
			t.Run(fmt.Sprintf("%s/workers=%d", v.ID, n), func(t *testing.T) {
				if v.Unavailable != "" {
					t.Skip(v.Unavailable)
				}
				test(t, v, n)
			})
		}
	}
}

func TestCount(t *testing.T) {
	sizes := []int{0, 1, 3, 4, 7, 8, 63, 64, 65, 4095, 4096, 4097, 16<<10 - 4, 16<<10 + 4,
		1<<20 - 4, 1 << 20, 1<<20 + 6, 2<<20 + 16<<10 + 20, 5<<20 + 4099}
	for _, size := range sizes {
		path, want := integers(t, size)
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			each(t, func(t *testing.T, v Variant, workers int) {
				got, err := v.Count(path, workers)
				if v.ID == "uring" && errors.Is(err, syscall.EINVAL) {
					t.Skip("the file system of the temporary folder does not support direct reads: ", err)
				}
				if err != nil || got != want {
					t.Errorf("%d tens, error %v; want %d", got, err, want)
				}
			})
		})
	}
}

// TestKernels compares the unrolled loop with the simple one, for every length around its step and
// any number of tens at the front.
func TestKernels(t *testing.T) {
	for n := range 100 {
		integers := make([]int32, n+1)
		b := unsafe.Slice((*byte)(unsafe.Pointer(&integers[0])), n*valueBytes)
		for at := range n {
			integers[at] = ten
			if simple, fast := countLoop(b), countUnrolled(b); simple != int64(at+1) || fast != simple {
				t.Fatalf("%d integers, %d tens: counted %d and %d", n, at+1, simple, fast)
			}
		}
	}
}

// TestSharesCoverTheFile checks that shares have no gap or overlap and begin at page boundaries.
func TestSharesCoverTheFile(t *testing.T) {
	for _, size := range []int64{0, 1, 4096, 4097, 100_001} {
		for workers := 1; workers < 9; workers++ {
			off := int64(0)
			for _, s := range shares(size, workers) {
				if s.off != off || s.end < s.off || s.off%4096 != 0 && s.off != size {
					t.Errorf("%d bytes, %d workers: share %+v at %d", size, workers, s, off)
				}
				off = s.end
			}
			if off != size {
				t.Errorf("%d bytes, %d workers: shares end at %d", size, workers, off)
			}
		}
	}
}

func TestMissingFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing")
	each(t, func(t *testing.T, v Variant, workers int) {
		if got, err := v.Count(path, workers); got != 0 || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("counted %d, error %v; want 0 and fs.ErrNotExist", got, err)
		}
	})
}

func TestNoWorkersIsAnError(t *testing.T) {
	path, _ := integers(t, 64)
	for _, v := range Variants() {
		if v.Parallel && v.Unavailable == "" {
			if _, err := v.Count(path, 0); err == nil {
				t.Errorf("%s: no error for 0 workers", v.ID)
			}
		}
	}
}

// TestVariants checks the list of variants.
func TestVariants(t *testing.T) {
	ids := map[string]bool{}
	for _, v := range Variants() {
		ids[v.ID] = true
		if (v.Count == nil) != (v.Unavailable != "") {
			t.Errorf("%s: exactly one of Count and Unavailable %q must be set", v.ID, v.Unavailable)
		}
	}
	for _, id := range []string{"loop", "unrolled", "uring", "mmap-parallel", "pread-parallel"} {
		if !ids[id] {
			t.Errorf("no variant %s", id)
		}
	}
}
