package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
)

// edit is a part of a fix: the bytes of a file that New replaces.
type edit struct {
	Filename   string // absolute
	Start, End int
	New        string
}

// overlaps reports whether both edits change the same bytes, and are not the same.
func (e edit) overlaps(o edit) bool {
	return e.Filename == o.Filename && e != o && e.Start < o.End && o.Start < e.End
}

// mended returns the new contents of the files that the fixes of findings change. What overlaps with the fix of a
// finding before it is left for the next time.
func mended(found []finding) (map[string][]byte, error) {
	edits := map[string][]edit{}
	for _, f := range found {
		if slices.ContainsFunc(f.edits, func(e edit) bool { return slices.ContainsFunc(edits[e.Filename], e.overlaps) }) {
			continue
		}
		for _, e := range f.edits {
			if !slices.Contains(edits[e.Filename], e) { // an import that several fixes need
				edits[e.Filename] = append(edits[e.Filename], e)
			}
		}
	}
	files := map[string][]byte{}
	for name, list := range edits {
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(list, func(a, b edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
		var text []byte
		at := 0
		for _, e := range list {
			if e.End > len(old) {
				return nil, fmt.Errorf("fix %s: it has changed since it was checked", relative(name))
			}
			text = append(append(text, old[at:e.Start]...), e.New...)
			at = e.End
		}
		if files[name], err = format.Source(append(text, old[at:]...)); err != nil {
			return nil, fmt.Errorf("fix %s: %w", relative(name), err)
		}
	}
	return files, nil
}

// fix applies the fixes of findings, or prints them as a patch, and reports whether there are any.
func fix(found []finding, patch bool, stdout io.Writer) (changed bool, err error) {
	files, err := mended(found)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !patch {
			err = errors.Join(err, os.WriteFile(name, files[name], 0o644)) // it exists, and keeps its mode
			continue
		}
		old, readErr := os.ReadFile(name)
		short := relative(name)
		if _, writeErr := stdout.Write(diff.Diff(short, old, short, files[name])); writeErr != nil {
			readErr = errors.Join(readErr, fmt.Errorf("write standard output: %w", writeErr))
		}
		err = errors.Join(err, readErr)
	}
	return len(files) > 0, err
}
