package source

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Walk yields the regular files below a folder in the order of their names, folder by
// folder. Symbolic links, FIFOs, sockets and devices are passed over: a link would find a
// file twice or never end, the others have no content of their own. What cannot be listed
// is yielded with its error, and the walk goes on.
func Walk(folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				if !yield(path, err) {
					return fs.SkipAll
				}
				if entry != nil && entry.IsDir() {
					return fs.SkipDir
				}
			case entry.Type().IsRegular():
				if !yield(path, nil) {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.SkipAll) {
			yield(folder, err)
		}
	}
}

// Expand yields the files that the arguments name: a folder's files when recursive, the
// matches of a pattern that the shell left alone, and otherwise the argument itself.
// Standard input is the argument "-".
func Expand(args []string, recursive bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, arg := range args {
			for name, err := range expand(arg, recursive) {
				if !yield(name, err) {
					return
				}
			}
		}
	}
}

func expand(arg string, recursive bool) iter.Seq2[string, error] {
	one := func(yield func(string, error) bool) { yield(arg, nil) }
	if arg == "-" {
		return one
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir() && recursive:
		// The separator makes WalkDir follow an argument that is a symbolic link.
		return Walk(strings.TrimRight(arg, string(filepath.Separator)) + string(filepath.Separator))
	case err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?["):
		return one
	}
	matches, err := filepath.Glob(arg)
	if err != nil || len(matches) == 0 {
		return one // opening it says what is wrong
	}
	return Expand(matches, recursive)
}
