package docroot

import (
	"errors"
	"fmt"
	"io"
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

// Item is an entry of a listing.
type Item struct {
	Name       string // as in the file system: not always UTF-8
	Folder     bool
	Link       bool  // a symbolic link; the rest describes its target
	Executable bool  // someone may execute it
	Size       int64 // of files, in bytes
	Modified   time.Time

	inode   uint64
	changed int64 // the change time in nanoseconds
}

// ErrTooLong says that a folder has too many entries to list.
var ErrTooLong = fmt.Errorf("more than %d entries", entriesMax)

const (
	listBatch  = 1024    // names read from a folder at a time, so that skipped names take no memory
	entriesMax = 1 << 20 // of one folder: about 150 MB
)

// list reads the entries of a folder, in no order.
func (d *Root) list(name string) (items []Item, err error) {
	f, err := d.openFolder(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		infos, err := fsCall(d, func() ([]fs.FileInfo, error) { return f.Readdir(listBatch) })
		for _, info := range infos {
			if item, ok := d.item(name, info); ok {
				items = append(items, item)
			}
		}
		if len(items) > entriesMax {
			return nil, ErrTooLong
		}
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// item returns the entry for one name of a folder, unless Lookup would refuse it.
func (d *Root) item(folder string, info fs.FileInfo) (Item, bool) {
	name, full := info.Name(), path.Join(folder, info.Name())
	if d.hides(name, folder == ".") || reservedName(name) {
		return Item{}, false
	}
	link := info.Mode().Type() == fs.ModeSymlink
	if link {
		target, err := d.stat(full)
		if err != nil {
			return Item{}, false
		}
		info = target
	}
	item := Item{
		Name: name, Folder: info.IsDir(), Link: link, Executable: info.Mode()&0o111 != 0,
		Modified: info.ModTime(), inode: inode(info), changed: changeTime(info),
	}
	switch {
	case info.Mode().IsRegular():
		item.Size = info.Size()
	case !item.Folder:
		return Item{}, false
	}
	return item, d.readable(full, info)
}

// readable reports whether a file or folder can be read. It asks the file system only if the
// permissions do not allow everyone to read it.
func (d *Root) readable(name string, info fs.FileInfo) bool {
	if info.IsDir() {
		if info.Mode()&0o555 == 0o555 {
			return true
		}
		_, err := d.stat(path.Join(name, index))
		return err == nil || isAbsent(err) || outOfDescriptors(err) // a shortage is not the folder's fault
	}
	if info.Mode()&0o444 == 0o444 {
		return true
	}
	f, err := fsCall(d, func() (*os.File, error) { return inFolder(d, name, openIn) })
	if err != nil {
		return outOfDescriptors(err)
	}
	_ = f.Close() // as in Release
	return true
}
