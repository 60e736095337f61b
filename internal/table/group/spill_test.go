package group

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/spill"

	"go.uber.org/goleak"
)

// scatter feeds keys to tables piece by piece, and spills now and then.
func scatter(t testing.TB, r *rand.Rand, tables []*Table, keys []string, pieceMax, spillEvery int) {
	t.Helper()
	for from := 0; from < len(keys); {
		to := min(from+1+r.IntN(pieceMax), len(keys))
		table := tables[r.IntN(len(tables))]
		if err := feed(table, keys[from:to], uint64(from)); err != nil {
			t.Fatal(err)
		}
		if spillEvery > 0 && r.IntN(spillEvery) == 0 {
			if err := table.spill(); err != nil {
				t.Fatal(err)
			}
		}
		from = to
	}
}

// TestRunsOfRuns spills so often that runs are merged into runs, and those again.
func TestRunsOfRuns(t *testing.T) {
	fanIn.Set(fanIn.Real() / 4) // the number of runs to make is its square
	defer func() { fanIn.Set(fanIn.Real()) }()
	for _, objects := range []bool{false, true} {
		r := rand.New(rand.NewPCG(7, 8))
		var keys []string
		for range 2 * fanIn.Get() * fanIn.Get() {
			keys = append(keys, fmt.Sprint(r.IntN(3000)))
		}
		tables := []*Table{newTable(t, 256<<10, objects)}
		scatter(t, r, tables, keys, 1, 1)
		runs := tables[0].spilled.runs
		if runs[0].level != 2 || len(runs) > 3*fanIn.Get() {
			t.Errorf("%d runs, the first of level %d", len(runs), runs[0].level)
		}
		equal(t, merged(t, tables, 2), want(keys, objects))
	}
}

// TestMergeInParts merges so many groups that several goroutines do it.
func TestMergeInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	kinds := map[string]func() string{
		"short": func() string { return fmt.Sprint(r.IntN(90000)) },
		// What cannot be a sample: then parts are large, and chunks are of one key.
		"long": func() string {
			return strings.Repeat("-", r.IntN(3)*200) + fmt.Sprint(r.IntN(30000)) + strings.Repeat("y", r.IntN(2)*90000/(1+r.IntN(2000)))
		},
	}
	for name, key := range kinds {
		for _, spillEvery := range []int{0, 3} {
			t.Run(fmt.Sprint(name, spillEvery), func(t *testing.T) {
				defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
				var keys []string
				for range 150000 {
					keys = append(keys, key())
				}
				tables := []*Table{newTable(t, 96<<20, false), newTable(t, 96<<20, false)}
				scatter(t, r, tables, keys, 20000, spillEvery)
				sortAll(tables, 2)
				if p := planParts(tables, 3); len(p.parts) < 2 {
					t.Fatalf("%d parts", len(p.parts))
				}
				equal(t, merged(t, tables, 3), want(keys, false))
			})
		}
	}
}

// TestMarks writes a run with so many marks that some are forgotten.
func TestMarks(t *testing.T) {
	table := newTable(t, 64<<20, false)
	if err := feed(table, []string{"a"}, 0); err != nil {
		t.Fatal(err)
	}
	if err := table.spill(); err != nil {
		t.Fatal(err)
	}
	w := newWriter(table.spilled, 1<<20)
	w.every = 40 // a mark a record
	n := 3*marksMax.Real() + 7
	for i := range n {
		if err := w.add(fmt.Appendf(nil, "%08d", i), []uint64{1, uint64(i), uint64(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	r, err := w.finish()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.marks) > marksMax.Get() || len(r.marks) < marksMax.Get()/4 {
		t.Errorf("%d marks", len(r.marks))
	}
	for range 200 {
		from := rand.IntN(n)
		to := from + rand.IntN(n-from)
		s := newRunSource(table, &r, 1000)
		ok, err := s.restrict(fmt.Appendf(nil, "%08d", from), fmt.Appendf(nil, "%08d", to))
		if err != nil || ok != (from < to) || ok && int(s.words[wordMin]) != from {
			t.Fatalf("from %d to %d: %t at %d, %v", from, to, ok, s.words[wordMin], err)
		}
	}
}

func TestSpillToFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := newTable(t, 256<<10, false)
	if table.spilled, err = newSpilled(table.tempDir); err != nil {
		t.Fatal(err)
	}
	if err := table.spilled.file.Close(); err != nil {
		t.Fatal(err)
	}
	table.spilled.file = &spill.File{File: full}
	var keys []string
	for i := range 10000 {
		keys = append(keys, fmt.Sprint(i))
	}
	err = feed(table, keys, 0)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "spill to /dev/full: no space left on device; free some or set TMPDIR") {
		t.Errorf("error %v", err)
	}
}

func TestNoTempDir(t *testing.T) {
	table := newTable(t, 256<<10, false)
	dir := table.tempDir
	table.tempDir.Name += "/nowhere"
	if err := feed(table, []string{"a"}, 0); err != nil {
		t.Fatal(err)
	}
	if err := table.spill(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	table.tempDir = dir
}

// TestTruncatedRun takes bytes away from what was spilled.
func TestTruncatedRun(t *testing.T) {
	for _, workers := range []int{1, 3} {
		tables := []*Table{newTable(t, 96<<20, false), newTable(t, 96<<20, false)}
		var keys []string
		for i := range 100000 {
			keys = append(keys, fmt.Sprint(i))
		}
		scatter(t, rand.New(rand.NewPCG(1, 1)), tables, keys, 20000, 2)
		if err := tables[0].spill(); err != nil {
			t.Fatal(err)
		}
		if err := tables[0].spilled.file.Truncate(tables[0].spilled.end - 10); err != nil {
			t.Fatal(err)
		}
		err := Merge(context.Background(), tables, workers, func([]byte, []uint64, ObjectStore) error { return nil })
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "read back at") {
			t.Errorf("error %v", err)
		}
	}
}

// TestMergeEndsEarly lets yield fail, and lets the context end.
func TestMergeEndsEarly(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var keys []string
	for i := range 100000 {
		keys = append(keys, fmt.Sprint(i))
	}
	enough := errors.New("enough")
	filled := func() []*Table {
		tables := []*Table{newTable(t, 96<<20, false), newTable(t, 96<<20, false)}
		scatter(t, rand.New(rand.NewPCG(1, 1)), tables, keys, 20000, 2)
		return tables
	}
	for _, workers := range []int{1, 3} {
		for _, last := range []int{0, 1, 1023, 70000, len(keys) - 1} {
			n := 0
			err := Merge(context.Background(), filled(), workers, func([]byte, []uint64, ObjectStore) error {
				if n == last {
					return enough
				}
				n++
				return nil
			})
			if err != enough || n != last {
				t.Errorf("%d groups, %v", n, err)
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			n = 0
			err = Merge(ctx, filled(), workers, func([]byte, []uint64, ObjectStore) error {
				if n == last {
					cancel(enough)
				}
				n++
				return nil
			})
			if n < len(keys) && err != enough || n == len(keys) && last < len(keys)/2 {
				t.Errorf("%d groups until the context ended at %d: %v", n, last, err)
			}
			cancel(nil)
		}
	}
}

// FuzzGroups: whatever the keys, the tables and the spills, the answer is that of a map.
func FuzzGroups(f *testing.F) {
	f.Add([]byte("a,b,a,,\x00,\x00\x00,abcdefghijklmnop,abcdefghijklmnopq,abcdefghijklmnop\x00"), uint64(1))
	f.Add([]byte(strings.Repeat("shared prefix of keys,", 30)+"shared prefix of keys and more"), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		keys := strings.Split(string(data), ",")
		if len(data) > 20<<10 {
			return // more than a batch has
		}
		objects := r.IntN(2) == 0
		tables := make([]*Table, 1+r.IntN(3))
		for i := range tables {
			tables[i] = newTable(t, 256<<10, objects)
		}
		scatter(t, r, tables, keys, 8, 1+r.IntN(8))
		equal(t, merged(t, tables, 1+r.IntN(3)), want(keys, objects))
	})
}
