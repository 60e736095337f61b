package docroot

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"
)

// folders are kept open for a moment, because os.Root opens and closes every element of a
// path, and who opens a file looks into its folder five times: for the file, for its
// neighbours, and to open it. A folder is a root of its own here, so what is below it
// stays below it; a link that leads out of it may still stay in the site, and goes the
// long way. A folder that was moved is served from its new place for that moment.
type folders struct {
	max int

	mu   sync.Mutex
	open map[string]folder // nil when the site is closed
}

type folder struct {
	root   *os.Root
	opened time.Duration // since the cache's start
}

const (
	foldersMax   = 64
	foldersShare = 4 // and at most this part of the files
)

func newFolders(filesMax int) folders {
	return folders{max: min(foldersMax, max(filesMax/foldersShare, 1)), open: map[string]folder{}}
}

// below calls do for name, in its folder where that can be.
func inFolder[T any](s *Root, name string, do func(r *os.Root, name string) (T, error)) (T, error) {
	if dir, base := path.Split(name); dir != "" {
		if r := s.folder(dir); r != nil {
			v, err := do(r, base)
			if err == nil || !errors.Is(err, s.escapes) && !errors.Is(err, fs.ErrClosed) {
				return v, err
			}
		}
	}
	return do(s.root, name)
}

// folder returns the root at dir, which ends with a slash. It may be closed at any time by
// others, which os.Root allows. Without one, the long way tells why.
func (s *Root) folder(dir string) *os.Root {
	f, now := &s.folders, time.Since(s.cache.start)
	f.mu.Lock()
	known := f.open[dir]
	f.mu.Unlock()
	if known.root != nil && now-known.opened < s.cache.maxAge {
		return known.root
	}
	// The point at the end makes os.Root open dir as a folder only: it would wait for the
	// other end of a FIFO of that name.
	root, err := s.root.OpenRoot(dir + ".")
	if err != nil {
		return nil
	}
	if !f.keep(dir, folder{root, now}) {
		_ = root.Close() // it was not used yet
		return nil
	}
	return root
}

// keep puts d in the place of what was at dir, or of any other when there are too many.
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

// giveBack closes all, and reports whether there were any.
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
