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

// Listing finds the files that arguments name. Files increases the counts while it runs; only its
// goroutine may read them until it is done.
type Listing struct {
	// Links and Specials count what was skipped in folders. Symbolic links are skipped because
	// a walk that follows them may find a file twice or never end. FIFOs, sockets and devices
	// are skipped because they have no content of their own, and reading them may wait forever
	// or have side effects.
	Links, Specials int64

	// Remote lists the objects that a remote name means. Nil: the name itself.
	Remote func(name string, recursive bool) iter.Seq2[string, error]

	args      []string
	recursive bool
	named     map[string]bool // the arguments
}

// NewListing returns a listing of the files that the arguments name. If recursive, a folder means
// the files in it and below. A pattern that the shell did not expand means its matches. Any other
// argument means itself. The argument "-" is standard input.
func NewListing(args []string, recursive bool) *Listing {
	l := &Listing{args: args, recursive: recursive, named: make(map[string]bool, len(args))}
	for _, arg := range args {
		l.named[arg] = true
	}
	return l
}

// Files yields the files, folder by folder, sorted by name in each folder. It follows a link that
// is an argument, but no link in a folder. It yields a folder that cannot be listed with its error
// and goes on. It ignores a folder that disappears before it can be listed.
func (l *Listing) Files() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, arg := range l.args {
			if IsRemote(arg) {
				if !l.remote(arg, yield) {
					return
				}
				continue
			}
			for _, name := range matches(arg) {
				if !l.below(name, yield) {
					return
				}
			}
		}
	}
}

// remote yields the objects that a name means. It returns false if yield did.
func (l *Listing) remote(name string, yield func(string, error) bool) bool {
	if l.Remote == nil {
		return yield(name, nil)
	}
	for name, err := range l.Remote(name, l.recursive) {
		if !yield(name, err) {
			return false
		}
	}
	return true
}

// Vanished reports whether err, from opening a file, means that the file was found in a folder and
// removed since. Such a file is ignored. If an argument does not exist, that is an error. Vanished
// may be called while Files runs.
func (l *Listing) Vanished(name string, err error) bool { return !l.named[name] && isGone(err) }

// isGone reports whether err means that there is no such file, or that its path leads through
// something that is not a folder.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Expand yields the files that the arguments name, as Listing.Files does.
func Expand(args []string, recursive bool) iter.Seq2[string, error] {
	return NewListing(args, recursive).Files()
}

// matches returns the files that a pattern matches. It returns the argument itself if that is not a
// pattern, exists, or matches nothing.
func matches(arg string) []string {
	if !strings.ContainsAny(arg, "*?[") {
		return []string{arg}
	}
	if _, err := os.Lstat(arg); !errors.Is(err, fs.ErrNotExist) {
		return []string{arg}
	}
	names, err := filepath.Glob(arg)
	if err != nil || len(names) == 0 {
		return []string{arg} // opening it will return an error
	}
	return names
}

// below yields the files below a folder if the listing is recursive, and otherwise the name itself.
// It returns false if yield did.
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

// walker walks a folder and all folders below it.
//
// It holds only the entries of the folders between the top and the current one. So a million files
// in one folder need the memory of their names.
type walker struct {
	listing *Listing
	yield   func(string, error) bool
	buf     []byte  // for the entries that a system call returns
	entries []Entry // a stack: each folder's entries are on top of its parent's
}

// Entry is a name in a folder.
type Entry struct {
	Name string
	Kind fs.FileMode // type bits only: regular, folder, symbolic link, or any other
}

// byName orders entries by the bytes of their names.
func byName(a, b Entry) int { return strings.Compare(a.Name, b.Name) }

// folder yields the files below a folder. It returns false if yield did.
func (w *walker) folder(path string, top bool) bool {
	first := len(w.entries)
	err := w.list(path, top)
	if err != nil && (top || !isGone(err)) && !w.yield(path, err) {
		return false
	}
	entries := w.entries[first:]
	slices.SortFunc(entries, byName)
	prefix := within(path)
	for _, e := range entries {
		more := true
		switch {
		case e.Kind.IsRegular():
			more = w.yield(prefix+e.Name, nil)
		case e.Kind.IsDir():
			more = w.folder(prefix+e.Name, false)
		case e.Kind&fs.ModeSymlink != 0:
			w.listing.Links++
		default:
			w.listing.Specials++
		}
		if !more {
			return false
		}
	}
	clear(entries) // frees the names
	w.entries = w.entries[:first]
	return true
}

// within returns the prefix of the names of files in a folder.
func within(folder string) string {
	folder = strings.TrimRight(folder, string(filepath.Separator))
	if folder == "." {
		return ""
	}
	return folder + string(filepath.Separator)
}
