package tens

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/lab"
)

// TestExperiment runs every variant that can run here on files of many sizes. The small buffer of own
// memory is shrunk so that it is filled several times.
func TestExperiment(t *testing.T) {
	threshold.Shrink(t, 1)
	sizes := []int{1, 4, 7, 64, 4096, 16<<10 + 4, 1<<20 + 6, 5<<20 + 4099}
	for _, size := range sizes {
		path, want := integers(t, size)
		for _, v := range Experiment().Variants {
			compiled := strings.HasPrefix(v.ID, "tens/c-")
			if compiled && size != 7 && size != sizes[len(sizes)-1] {
				continue // compiling takes a moment
			}
			t.Run(fmt.Sprintf("%s/%d", v.ID, size), func(t *testing.T) {
				if v.Missing != nil && v.Missing() != "" {
					t.Skip(v.Missing())
				}
				settings := v.Settings
				if compiled {
					settings = []lab.Setting{v.Settings[len(v.Settings)-1]}
				}
				for _, s := range settings {
					o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Path: path, Bytes: int64(size), Folder: t.TempDir(), Setting: s})
					skipWithoutDirect(t, v, err)
					if err != nil || o.Answer != strconv.FormatInt(want, 10) || o.Seconds < 0 || o.Bytes != int64(size) {
						t.Fatalf("%+v: outcome %+v, error %v; want %d", s, o, err, want)
					}
				}
			})
		}
	}
}

// skipWithoutDirect skips what needs direct reads where the temporary folder's file system has none.
func skipWithoutDirect(t *testing.T, v lab.Variant, err error) {
	t.Helper()
	said := err != nil && strings.Contains(err.Error(), syscall.EINVAL.Error())
	if strings.HasSuffix(v.ID, "uring") && (errors.Is(err, syscall.EINVAL) || said) {
		t.Skip("no direct reads in the temporary folder: ", err)
	}
}

// TestEmptyFile checks that an empty file has no tens. Own memory takes no time for it.
func TestEmptyFile(t *testing.T) {
	path, _ := integers(t, 0)
	for _, v := range Experiment().Variants {
		if v.Missing != nil && v.Missing() != "" {
			continue
		}
		o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Path: path, Folder: t.TempDir(), Setting: v.Settings[0]})
		if err != nil || o.Answer != "0" {
			t.Errorf("%s: answer %s, error %v; want 0", v.ID, o.Answer, err)
		}
	}
}

// TestErrors checks that a missing file and an interruption are errors, with the reason.
func TestErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, v := range Experiment().Variants {
		if v.Missing != nil && v.Missing() != "" {
			continue
		}
		task := lab.Task{Variant: v.ID, Path: missing, Folder: t.TempDir(), Setting: v.Settings[0]}
		if o, err := v.Run(t.Context(), task); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%s: outcome %+v, error %v for a missing file", v.ID, o, err)
		}
	}
	path, _ := integers(t, 4096)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, v := range append(inMemory(), programs()...) {
		if v.Missing != nil && v.Missing() != "" {
			continue
		}
		if _, err := v.Run(ctx, lab.Task{Variant: v.ID, Path: path, Folder: t.TempDir()}); err == nil {
			t.Errorf("%s: no error after the interruption", v.ID)
		}
	}
}

// TestWrite checks that the file has the size that was asked for, the same bytes each time, and the tens
// that it says.
func TestWrite(t *testing.T) {
	for _, size := range []int64{1, 4, 4097, 3<<20 + 12} {
		path := filepath.Join(t.TempDir(), "file")
		answer, err := write(t.Context(), path, size)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || int64(len(b)) != max(size&^3, 4) || answer != strconv.FormatInt(countLoop(b), 10) {
			t.Errorf("%d bytes: file of %d, answer %s, error %v", size, len(b), answer, err)
		}
		again := filepath.Join(t.TempDir(), "file")
		if _, err := write(t.Context(), again, size); err != nil {
			t.Fatal(err)
		}
		if c, err := os.ReadFile(again); err != nil || !slices.Equal(b, c) {
			t.Errorf("%d bytes: another file the second time, error %v", size, err)
		}
		if size > 1<<20 { // one of 21 values
			if tens, parts := countLoop(b), size/valueBytes/21; tens < parts*9/10 || tens > parts*11/10 {
				t.Errorf("%d tens in %d bytes", tens, size)
			}
		}
	}
	if _, err := write(t.Context(), filepath.Join(t.TempDir(), "no", "folder"), 4); err == nil {
		t.Error("no error without a folder")
	}
}

// TestList checks the IDs, and that each variant says what readers need.
func TestList(t *testing.T) {
	var ids []string
	for _, v := range Experiment().Variants {
		ids = append(ids, strings.TrimPrefix(v.ID, "tens/"))
		if v.What == "" || v.Input != input || len(v.Settings) == 0 {
			t.Errorf("%s: incomplete: %+v", v.ID, v)
		}
		for _, p := range v.Published {
			if p.Value <= 0 || !slices.Contains(v.Settings, p.Setting) {
				t.Errorf("%s: published %+v is of no setting that is measured", v.ID, p)
			}
		}
		for i, s := range v.Settings {
			if slices.Contains(v.Settings[:i], s) {
				t.Errorf("%s: %+v twice", v.ID, s)
			}
		}
	}
	want := "loop-cold loop-warm unrolled uring ram-loop ram-unrolled mmap-parallel pread-parallel thresh " +
		"c-loop c-unrolled c-ram-loop c-ram-unrolled c-uring"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("variants %s, want %s", got, want)
	}
}

// TestMemoryBytes checks how much of a file is in memory at once, around the least size.
func TestMemoryBytes(t *testing.T) {
	least := int64(smallLeastBytes.Real())
	for _, test := range []struct {
		n          int
		size, want int64
	}{
		{0, 50 << 30, 50 << 30}, {25, 50 << 30, 2 << 30}, {25, 100, 100}, {25, least, least}, {25, least + 1, least},
		{25, 25 * least, least}, {25, 25*least + 24, least}, {25, 25*least + 25, least + 1<<20},
	} {
		if got := memoryBytes(lab.Task{Setting: lab.Setting{N: test.n}}, test.size); got != test.want {
			t.Errorf("n %d, %d bytes: %d, want %d", test.n, test.size, got, test.want)
		}
	}
}
