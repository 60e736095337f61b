package thresh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// folderLines are differences as a letter and a path each.
func folderLines(t *testing.T, a, b string, o options.CompareFolders) (lines []string, c answer.FolderComparison) {
	t.Helper()
	c, err := thresh.CompareFolders(t.Context(), a, b, o, func(found []answer.FolderDifference) error {
		for _, d := range found {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%c %s %s", d.Kind, d.Path, strings.Join(d.Meta, ","))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, c
}

// plainFolderLines compares folders in the most obvious way.
func plainFolderLines(t *testing.T, a, b, path string, meta bool) (lines []string) {
	t.Helper()
	names := map[string]bool{}
	for _, folder := range []string{a, b} {
		entries, err := os.ReadDir(filepath.Join(folder, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names[e.Name()] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		below := path + name
		one, err := os.Lstat(filepath.Join(a, below))
		other, otherErr := os.Lstat(filepath.Join(b, below))
		read := func(folder string) string {
			if one.Mode().Type() == fs.ModeSymlink {
				target, _ := os.Readlink(filepath.Join(folder, below))
				return target
			}
			content, _ := os.ReadFile(filepath.Join(folder, below))
			return string(content)
		}
		switch {
		case err != nil:
			lines = append(lines, "+ "+below)
			continue
		case otherErr != nil:
			lines = append(lines, "- "+below)
			continue
		case one.Mode().Type() != other.Mode().Type():
			lines = append(lines, "T "+below)
			continue
		case one.Mode().IsRegular() && one.Size() != other.Size():
			lines = append(lines, "S "+below)
		case one.Mode().IsRegular() && read(a) != read(b):
			lines = append(lines, "C "+below)
		case one.Mode().Type() == fs.ModeSymlink && read(a) != read(b):
			lines = append(lines, "L "+below)
		}
		if meta {
			var differs []string
			if one.Mode() != other.Mode() {
				differs = append(differs, "mode")
			}
			if !one.ModTime().Equal(other.ModTime()) {
				differs = append(differs, "mtime")
			}
			if len(differs) > 0 {
				lines = append(lines, "M "+below+" "+strings.Join(differs, ","))
			}
		}
		if one.IsDir() {
			lines = append(lines, plainFolderLines(t, a, b, below+"/", meta)...)
		}
	}
	return lines
}

// plantTree makes two folders that are nearly the same: files of sizes around the borders of buffers, links, files with
// several names, and folders in folders.
func plantTree(t *testing.T, random *rand.Rand, a, b string, depth int) {
	t.Helper()
	check := func(errs ...error) {
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	when := time.Unix(1_700_000_000, 0)
	var first string
	for i := range random.IntN(9) {
		name := []string{"a", "a.", "a-b", "é", "e\u0301", "Z", "z z", "10", "9"}[i]
		paths := [2]string{filepath.Join(a, name), filepath.Join(b, name)}
		twin := random.IntN(4) > 0 // the same on both sides
		for side, path := range paths {
			kind := random.IntN(9)
			if twin {
				kind = i
			} else if kind == 0 {
				continue // missing
			}
			content := bytes.Repeat([]byte{'x'}, []int{0, 1, 4095, 4096, 4097, 9000}[(i+depth)%6])
			switch {
			case kind < 5:
				if !twin && len(content) > 0 {
					content[random.IntN(len(content))] += byte(side * random.IntN(2))
					content = content[:len(content)-side*random.IntN(2)]
				}
				check(os.WriteFile(path, content, 0o600))
				if first == "" && twin {
					first = name
				}
			case kind < 6 && first != "":
				folder := []string{a, b}[side]
				if os.Link(filepath.Join(folder, first), path) != nil {
					check(os.WriteFile(path, content, 0o600))
				}
			case kind < 7:
				check(os.Symlink([]string{"nowhere", "elsewhere"}[side*random.IntN(2)], path))
			default:
				check(os.Mkdir(path, 0o700))
			}
			if info, err := os.Lstat(path); err == nil && info.Mode().Type() == 0 {
				check(os.Chtimes(path, when, when.Add(time.Duration(random.IntN(8)/7)*time.Second)))
				check(os.Chmod(path, []fs.FileMode{0o600, 0o600, 0o640}[random.IntN(3)]))
			}
		}
		if one, err := os.Lstat(paths[0]); err == nil && one.IsDir() && depth > 0 {
			if other, err := os.Lstat(paths[1]); err == nil && other.IsDir() {
				plantTree(t, random, paths[0], paths[1], depth-1)
			}
		}
	}
	check(os.Chtimes(a, when, when), os.Chtimes(b, when, when))
}

// Random folders are compared as plain code compares them, by any number of workers, at any size at which another way is
// taken, and by each engine.
func TestCompareFolders(t *testing.T) {
	for round := range rounds.Of(25) {
		random := rand.New(rand.NewPCG(38, uint64(round)))
		a, b := t.TempDir(), t.TempDir()
		plantTree(t, random, a, b, 4)
		if round%3 > 0 {
			threshold.Shrink(t, []int{1, 3, 4096}[random.IntN(3)])
		}
		meta := random.IntN(2) == 0
		want := plainFolderLines(t, a, b, "", meta)
		o := options.CompareFolders{Mode: meta, Modified: meta, Run: options.Run{Workers: 1 + random.IntN(5)}}
		o.Engine = []options.Engine{options.EngineAuto, options.EnginePread, options.EngineMmap}[random.IntN(3)]
		o.Cache = []options.Cache{options.CacheAuto, options.CacheNeutral}[random.IntN(2)]
		got, c := folderLines(t, a, b, o)
		if !slices.Equal(got, want) || !c.Complete || c.Equal != (len(want) == 0) {
			t.Fatalf("round %d, %+v: got %q\nwant %q\n%+v", round, o, got, want, c)
		}
		if got, c := folderLines(t, a, a, o); got != nil || !c.Equal || c.Bytes > 0 {
			t.Fatalf("round %d: a folder and itself: %q, %+v", round, got, c)
		}
		o.First = true
		first, c := folderLines(t, a, b, o)
		if !slices.Equal(first, want[:min(1, len(want))]) || !c.Complete || c.Equal != (len(want) == 0) {
			t.Fatalf("round %d: the first: got %q, want %q, %+v", round, first, want, c)
		}
	}
}

// What is asked for besides, of both kinds of times.
func TestCompareFoldersMeta(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	when := time.Unix(1_700_000_000, 0)
	for i, folder := range []string{a, b} {
		for name, modified := range map[string]time.Time{
			"second": when.Add(time.Duration(i) * time.Second), "fraction": when.Add(time.Duration(i) * time.Millisecond),
			"fractions": when.Add(time.Duration(1+i) * time.Millisecond),
		} {
			path := filepath.Join(folder, name)
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, when, modified)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(folder, when, when); err != nil {
			t.Fatal(err)
		}
	}
	got, c := folderLines(t, a, b, options.CompareFolders{Modified: true})
	if want := []string{"M fractions mtime", "M second mtime"}; !slices.Equal(got, want) || c.Changed != 2 || c.Files != 3 {
		t.Errorf("got %q, want %q, %+v", got, want, c)
	}
}

// A comparison can be left at any difference, and cancelled.
func TestCompareFoldersLeft(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for i := range 200 {
		for j, folder := range []string{a, b} {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%03d", i)), []byte{byte(j)}, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, leave := range []int{0, 1, 50, 199} {
		seen := 0
		for d, err := range thresh.FolderDifferences(t.Context(), a, b, options.CompareFolders{}) {
			if err != nil || d.Kind != answer.DifferentContent || d.Path != fmt.Sprintf("%03d", seen) {
				t.Fatalf("difference %d: %+v, %v", seen, d, err)
			}
			if seen++; seen > leave {
				break
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		c, err := thresh.CompareFolders(ctx, a, b, options.CompareFolders{}, func(found []answer.FolderDifference) error {
			if seen -= len(found); seen <= 0 {
				cancel()
			}
			return nil
		})
		cancel()
		if c.Equal || err == nil && c.Changed != 200 || err != nil && (!errors.Is(err, context.Canceled) || c.Complete) {
			t.Errorf("cancelled after %d: %+v, %v", leave, c, err)
		}
	}
	if _, err := thresh.CompareFolders(t.Context(), a, filepath.Join(a, "missing"), options.CompareFolders{},
		func([]answer.FolderDifference) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is missing: %v", err)
	}
}
