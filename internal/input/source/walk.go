package source

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Listing finds the files that arguments name. Its counts rise while Files is iterated over
// and belong to that goroutine until it is done.
type Listing struct {
	// What walks passed over: symbolic links, because through them a file is found twice or
	// a walk never ends; FIFOs, sockets and devices, because they have no content of their
	// own and reading them may wait for ever or change something.
	Links, Specials int64

	args      []string
	recursive bool
	named     map[string]bool // the arguments
}

// NewListing returns a listing of the files that the arguments name: a folder's files when
// recursive, the matches of a pattern that the shell left alone, and otherwise the argument
// itself. Standard input is the argument "-".
func NewListing(args []string, recursive bool) *Listing {
	l := &Listing{args: args, recursive: recursive, named: make(map[string]bool, len(args))}
	for _, arg := range args {
		l.named[arg] = true
	}
	return l
}

// Files yields the files, those of a folder in the order of their names, folder by folder.
// A link that is an argument is followed, one that lies in a folder is not. What cannot be
// listed is yielded with its error, and the walk goes on. What vanishes before it can be
// listed was not there.
func (l *Listing) Files() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, arg := range l.args {
			for _, name := range matches(arg) {
				if !l.below(name, yield) {
					return
				}
			}
		}
	}
}

// Vanished reports whether err, from opening a file, means that there is nothing to be said
// about it: it was found in a folder and has been removed since. An argument that does not
// exist is a mistake. It may be called while Files goes on.
func (l *Listing) Vanished(name string, err error) bool { return !l.named[name] && isGone(err) }

// isGone reports whether err says that there is no such file, or that a folder on the way
// to it has become something else.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Expand yields the files that the arguments name, as Listing.Files does.
func Expand(args []string, recursive bool) iter.Seq2[string, error] {
	return NewListing(args, recursive).Files()
}

// matches returns the files that a pattern matches. An argument that is no pattern, that
// exists, or that matches nothing stands for itself.
func matches(arg string) []string {
	if !strings.ContainsAny(arg, "*?[") {
		return []string{arg}
	}
	if _, err := os.Lstat(arg); !errors.Is(err, fs.ErrNotExist) {
		return []string{arg}
	}
	names, err := filepath.Glob(arg)
	if err != nil || len(names) == 0 {
		return []string{arg} // opening it says what is wrong
	}
	return names
}

// below yields the files of a folder that is to be walked, and any other name as it is. It
// returns false when yield has had enough.
func (l *Listing) below(name string, yield func(string, error) bool) bool {
	if !l.recursive || name == standardInput {
		return yield(name, nil)
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return yield(name, nil)
	}
	w := walker{listing: l, yield: yield}
	return w.folder(name, true)
}

const standardInput = "-"

// walker goes through one folder and all below it.
//
// It keeps the entries of the folders between the top and where it is, and nothing of those
// that it has left: a million files in one folder cost the memory of their names.
type walker struct {
	listing *Listing
	yield   func(string, error) bool
	buf     []byte  // for what the system tells of a folder
	entries []entry // a stack; each folder's on top of those of the folder that it lies in
}

// entry is what a folder says of one thing in it.
type entry struct {
	name string
	kind fs.FileMode // its type bits
}

// folder yields the files below a folder. It returns false when yield has had enough.
func (w *walker) folder(path string, top bool) bool {
	first := len(w.entries)
	err := w.list(path, top)
	if err != nil && (top || !isGone(err)) && !w.yield(path, err) {
		return false
	}
	entries := w.entries[first:]
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	prefix := within(path)
	for _, e := range entries {
		more := true
		switch {
		case e.kind.IsRegular():
			more = w.yield(prefix+e.name, nil)
		case e.kind.IsDir():
			more = w.folder(prefix+e.name, false)
		case e.kind&fs.ModeSymlink != 0:
			w.listing.Links++
		default:
			w.listing.Specials++
		}
		if !more {
			return false
		}
	}
	clear(entries) // lets go of the names
	w.entries = w.entries[:first]
	return true
}

// within returns what the names of files in a folder begin with.
func within(folder string) string {
	folder = strings.TrimRight(folder, string(filepath.Separator))
	if folder == "." {
		return ""
	}
	return folder + string(filepath.Separator)
}
