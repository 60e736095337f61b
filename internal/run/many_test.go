package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/options"
)

// TestVanished: a file that is removed between being listed and being opened is as if it had
// not been there, where the listing is asked, and an error otherwise.
func TestVanished(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listing := source.NewListing([]string{folder}, true)
	removing := func(yield func(string, error) bool) {
		for name, err := range listing.Files() {
			if filepath.Base(name) == "b" {
				os.Remove(name)
			}
			if !yield(name, err) {
				return
			}
		}
	}
	var seen []string
	total, err := CountAll(context.Background(), removing, Lines(), Options{}, Callbacks{
		Vanished: listing.Vanished,
		Done: func(name string, _ Report, err error) error {
			seen = append(seen, filepath.Base(name))
			return err
		}})
	if err != nil || total.Hits != 2 || !total.Complete || !slices.Equal(seen, []string{"a", "c"}) {
		t.Errorf("%d lines in %v, complete: %v, %v", total.Hits, seen, total.Complete, err)
	}
	names := func(yield func(string, error) bool) { yield(filepath.Join(folder, "b"), nil) }
	var missed error
	total, err = CountAll(context.Background(), names, Lines(), Options{}, Callbacks{
		Done: func(_ string, _ Report, err error) error {
			missed = err
			return nil
		}})
	if err != nil || !os.IsNotExist(missed) || total.Complete {
		t.Errorf("a missing file is no error: %v, %v, complete: %v", missed, err, total.Complete)
	}
}

// TestManyFiles counts in a tree of small, big and empty files, with all numbers of
// workers, and looks at the order of the answers.
func TestManyFiles(t *testing.T) {
	folder := t.TempDir()
	const files = 3000
	want := int64(0)
	for i := range files {
		lines := i % 7
		if i%1000 == 999 {
			lines = 200_000 // bigger than what one worker reads at once
		}
		text := make([]byte, 0, 2*lines)
		for range lines {
			text = append(text, "a\n"...)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%05d", i)), text, 0o600); err != nil {
			t.Fatal(err)
		}
		want += int64(lines)
	}
	for _, workers := range []int{0, 1, 2, 7} {
		var names []string
		total, err := CountAll(context.Background(), source.Expand([]string{folder}, true), Lines(), Options{Run: options.Run{Workers: workers}},
			Callbacks{Done: func(name string, _ Report, err error) error {
				names = append(names, name)
				return err
			}})
		if err != nil || total.Hits != want || len(names) != files || !slices.IsSorted(names) {
			t.Errorf("%d workers: %d lines in %d files, want %d in %d; in order: %v; %v",
				workers, total.Hits, len(names), want, files, slices.IsSorted(names), err)
		}
	}
}

// TestManyPackedFiles searches many compressed files at once, some with more hits than a
// worker holds back, one of them damaged, and compares with the files inside.
func TestManyPackedFiles(t *testing.T) {
	sizes := []int{1, 9000, 18_000} // lines; more than taskHitsMax
	var names []string
	for i := range 12 {
		text := bytes.Repeat([]byte("needle\n"), sizes[i%3])
		names = append(names, pack(t, text, 1+i%4)...)
	}
	broken, err := os.ReadFile(names[2]) // of one with hits
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[2], broken[:len(broken)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	q := must(t)(Text("needle"))
	for _, workers := range []int{0, 1, 3} {
		found, incomplete := map[string]int64{}, 0
		var order []string
		callbacks := Callbacks{
			Hits: func(name string, hits []answer.Hit) error {
				for _, h := range hits {
					if want := 7 * found[name]; h.Off != want {
						t.Fatalf("%s: a hit at %d, want %d", name, h.Off, want)
					}
					found[name]++
				}
				return nil
			},
			Done: func(name string, r Report, err error) error {
				if order = append(order, name); !r.Complete {
					incomplete++
				}
				return err
			}}
		if _, err := FindAll(context.Background(), source.Expand(names, false), q, Options{Run: options.Run{Workers: workers}}, callbacks); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order, names) || incomplete != 1 {
			t.Errorf("%d workers: %d incomplete, order kept: %v", workers, incomplete, slices.Equal(order, names))
		}
		var sum int64
		for i, name := range names {
			if want := int64(sizes[i/2%3]); i != 2 && found[name] != want {
				t.Errorf("%d workers: %d hits in file %d, want %d", workers, found[name], i, want)
			}
			sum += found[name]
		}
		total, err := CountAll(context.Background(), source.Expand(names, false), q, Options{Run: options.Run{Workers: workers}}, Callbacks{
			Done: func(_ string, _ Report, err error) error { return err }})
		if err != nil || total.Hits != sum || total.Complete {
			t.Errorf("%d workers: counted %d, want %d; complete: %v; %v", workers, total.Hits, sum, total.Complete, err)
		}
	}
}

// TestCancelledTree: after the context has ended no file is told that was not looked at.
func TestCancelledTree(t *testing.T) {
	folder := t.TempDir()
	for i := range 40 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte("a\nb\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 500 {
		ctx, cancel := context.WithCancel(context.Background())
		listed := 0
		names := func(yield func(string, error) bool) {
			for name, err := range source.Expand([]string{folder}, true) {
				if listed++; listed == 20 {
					cancel()
				}
				if !yield(name, err) {
					return
				}
			}
		}
		_, err := CountAll(ctx, names, Lines(), Options{Run: options.Run{Workers: 1}}, Callbacks{
			Done: func(name string, r Report, err error) error {
				if err != nil || r.Hits != 2 || !r.Complete {
					t.Errorf("%s: %d lines, complete: %v, %v", name, r.Hits, r.Complete, err)
				}
				return nil
			}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("a cancelled count ends with %v", err)
		}
	}
}

// TestEndedByVisitor: an error of a callback ends the search, and is the one that is returned, whatever the other
// workers say about the end.
func TestEndedByVisitor(t *testing.T) {
	folder := t.TempDir()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte("a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	enough := errors.New("enough")
	q := must(t)(Text("a"))
	for range 300 {
		_, err := FindAll(context.Background(), source.Expand([]string{folder}, true), q, Options{}, Callbacks{
			Hits: func(string, []answer.Hit) error { return enough },
			Done: func(_ string, _ Report, err error) error { return err }})
		if !errors.Is(err, enough) {
			t.Fatalf("the search ends with %v", err)
		}
	}
}
