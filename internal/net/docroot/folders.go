package docroot

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"
)

// folders keeps folders open for a moment. os.Root opens and closes every element of a path, and
// opening a file takes five looks into its folder: for the file, for its sidecar files, and to open
// it. Each folder is an os.Root of its own, so paths below stay below it. A link that leaves the
// folder may still stay inside the document root; it is resolved from the top. For that moment, a
// moved folder is served from its new place.
type folders struct {
	max int

	mu   sync.Mutex
	open map[string]folder // nil when the document root is closed
}

type folder struct {
	root   *os.Root
	opened time.Duration // since the cache's start
}

const (
	foldersMax   = 64
	foldersShare = 4 // and at most this share of the files
)

func newFolders(filesMax int) folders {
	return folders{max: min(foldersMax, max(filesMax/foldersShare, 1)), open: map[string]folder{}}
}

// inFolder calls do for name, relative to its folder if that can be opened. Where an absolute link is
// on the way, it calls do again for what that resolves to.
func inFolder[T any](d *Root, name string, do func(r *os.Root, name string) (T, error)) (T, error) {
	if dir, base := path.Split(name); dir != "" {
		if r := d.folder(dir); r != nil {
			v, err := do(r, base)
			if err == nil || !errors.Is(err, d.escapes) && !errors.Is(err, fs.ErrClosed) {
				return v, err
			}
		}
	}
	v, err := do(d.root, name)
	if err == nil || d.escapes == nil || !errors.Is(err, d.escapes) {
		return v, err
	}
	name, rerr := d.resolve(name)
	if rerr != nil {
		return v, rerr
	}
	return do(d.root, name)
}

// folder returns the os.Root of dir, which ends with a slash, or nil. It may be closed at any time,
// which os.Root permits. If there is none, the call from the top returns the error.
func (d *Root) folder(dir string) *os.Root {
	f, now := &d.folders, time.Since(d.cache.start)
	f.mu.Lock()
	known := f.open[dir]
	f.mu.Unlock()
	if known.root != nil && now-known.opened < d.cache.maxAge {
		return known.root
	}
	// The trailing dot makes os.Root open dir only if it is a folder; otherwise it would wait for
	// the other end of a FIFO.
	root, err := d.root.OpenRoot(dir + ".")
	if d.escapes != nil && errors.Is(err, d.escapes) {
		var resolved string
		if resolved, err = d.resolve(dir); err == nil {
			root, err = d.root.OpenRoot(resolved + "/.")
		}
	}
	if err != nil {
		return nil
	}
	if !f.keep(dir, folder{root, now}) {
		_ = root.Close() // not used yet
		return nil
	}
	return root
}

// keep stores d, in place of the old folder at dir or, if there are too many, of any other.
func (f *folders) keep(dir string, d folder) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		return false
	}
	out := dir
	if _, known := f.open[dir]; !known && len(f.open) >= f.max {
		for out = range f.open {
			break
		}
	}
	f.drop(out)
	f.open[dir] = d
	return true
}

func (f *folders) drop(dir string) {
	if old, known := f.open[dir]; known {
		_ = old.root.Close() // nothing was written
		delete(f.open, dir)
	}
}

// closeAll closes all folders and reports whether there were any.
func (f *folders) closeAll() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	any := len(f.open) > 0
	for dir := range f.open {
		f.drop(dir)
	}
	return any
}

func (f *folders) close() {
	f.closeAll()
	f.mu.Lock()
	f.open = nil
	f.mu.Unlock()
}
