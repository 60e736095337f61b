package needle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// haystack makes a file of size bytes that are zero, except at these places.
func haystack(t *testing.T, size int64, places ...int64) string {
	t.Helper()
	b := make([]byte, size)
	for _, at := range places {
		b[at] = 0x80
	}
	path := filepath.Join(t.TempDir(), "haystack")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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

// skipWithoutDirect skips v14 where the temporary folder's file system has no direct reads.
func skipWithoutDirect(t *testing.T, v Variant, err error) {
	t.Helper()
	if v.ID == "v14" && errors.Is(err, syscall.EINVAL) {
		t.Skip("no direct reads in the temporary folder: ", err)
	}
}

func TestSearch(t *testing.T) {
	const size = 5*bufferBytes + 4096 + 8
	tests := []struct {
		name   string
		size   int64
		places []int64
		want   int64
	}{
		{"empty", 0, nil, -1},
		{"one word", 8, []int64{7}, 0},
		{"none", size, nil, -1},
		{"first word", size, []int64{0}, 0},
		{"last byte of the first word", size, []int64{7}, 0},
		{"last word", size, []int64{size - 8}, size - 8},
		{"last byte", size, []int64{size - 1}, size - 8},
		{"middle", size, []int64{size/2 + 3}, (size/2 + 3) &^ 7},
		{"last word of a buffer", size, []int64{bufferBytes - 1}, bufferBytes - 8},
		{"first word of a buffer", size, []int64{bufferBytes}, bufferBytes},
		{"the lowest of several", size, []int64{size - 8, 3 * bufferBytes, 4 * bufferBytes}, 3 * bufferBytes},
		{"a second hit in the same block", size, []int64{bufferBytes + 16, bufferBytes + 8}, bufferBytes + 8},
		{"the lower of two that v14 has in flight", size, []int64{2*bufferBytes + 8, bufferBytes/2 + 8}, bufferBytes/2 + 8},
		{"fewer words than workers", 16, []int64{9}, 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := haystack(t, test.size, test.places...)
			each(t, func(t *testing.T, v Variant, workers int) {
				got, err := v.Search(path, workers)
				skipWithoutDirect(t, v, err)
				if err != nil || got != test.want {
					t.Errorf("found %d, error %v; want %d", got, err, test.want)
				}
			})
		})
	}
}

// TestBytesAfterTheLastWord documents how the variants differ on files that do not occur in the
// article: loops over words do not see the last bytes, kernels over bytes do.
func TestBytesAfterTheLastWord(t *testing.T) {
	const size = 2*bufferBytes + 21
	path := haystack(t, size, size-1)
	want := map[string]int64{
		"v01": size &^ 7, "v02": size &^ 7, "v03": -1, "v04": -1, "v05": -1, "v06": -1, "v07": -1,
		"v08": size &^ 7, "v09": size &^ 7, "v10": size &^ 7, "v11": size &^ 7, "v12": size &^ 7, "v13": size &^ 7,
		"v14": size &^ 7,
	}
	if noAVX2() != "" {
		want["v14"] = -1
	}
	each(t, func(t *testing.T, v Variant, workers int) {
		got, err := v.Search(path, workers)
		skipWithoutDirect(t, v, err)
		if err != nil || got != want[v.ID] {
			t.Errorf("found %d, error %v; want %d", got, err, want[v.ID])
		}
	})
}

func TestMissingFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing")
	each(t, func(t *testing.T, v Variant, workers int) {
		if got, err := v.Search(path, workers); got != -1 || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("found %d, error %v; want -1 and fs.ErrNotExist", got, err)
		}
	})
}

func TestNoWorkersIsAnError(t *testing.T) {
	path := haystack(t, 64)
	for _, v := range Variants() {
		if v.Parallel && v.Unavailable == "" {
			if _, err := v.Search(path, 0); err == nil {
				t.Errorf("%s: no error for 0 workers", v.ID)
			}
		}
	}
}

// TestIndex checks the vector kernels with a nonzero byte at every index, for every length around
// their step.
func TestIndex(t *testing.T) {
	kernels := map[string]func([]byte) int{}
	if noAVX2() == "" {
		kernels["AVX2"] = indexAVX2
	}
	if noAVX512() == "" {
		kernels["AVX-512"] = indexAVX512
	}
	for name, index := range kernels {
		t.Run(name, func(t *testing.T) {
			for size := range 300 {
				b := make([]byte, size)
				if got := index(b); got != -1 {
					t.Fatalf("%d zeros: index %d, want -1", size, got)
				}
				for at := range b {
					b[at] = 1
					if got := index(b); got&^7 != at&^7 {
						t.Fatalf("%d bytes, byte %d is not zero: index %d is in another word", size, at, got)
					}
					b[at] = 0
				}
			}
		})
	}
}

// TestVariants checks that the portable variants run everywhere.
func TestVariants(t *testing.T) {
	ids := map[string]bool{}
	for _, v := range Variants() {
		ids[v.ID] = true
		if (v.Search == nil) != (v.Unavailable != "") {
			t.Errorf("%s: exactly one of Search and Unavailable %q must be set", v.ID, v.Unavailable)
		}
		if slices.Contains([]string{"v01", "v02", "v03", "v07"}, v.ID) && v.Search == nil {
			t.Errorf("%s is unavailable, but needs no special hardware", v.ID)
		}
	}
	if len(ids) != 14 {
		t.Errorf("variants %v, want fourteen", ids)
	}
}
