package docroot

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Item is an entry of a listing.
type Item struct {
	Name     string // as in the file system: not always UTF-8
	Folder   bool
	Size     int64 // of files, in bytes
	Modified time.Time
}

// listBatch is how many names are read from a folder at a time, so that skipped names of a big
// folder take no memory.
const listBatch = 1024

// List returns the entries of the folder at path p, folders first, both sorted by the bytes of
// their names. The trailing slash of p is optional. A link is listed as its target. Entries that
// Lookup would refuse are left out.
func (d *Root) List(p string) ([]Item, error) {
	canonical, err := d.canonical(p)
	if err != nil {
		return nil, err
	}
	if d.root == nil {
		return nil, fmt.Errorf("list %q: %w: no folder", p, ErrNotFound)
	}
	name := strings.Trim(canonical, "/")
	if name == "" {
		name = "."
	}
	items, err := d.list(name)
	if err != nil {
		return nil, d.classify("list", p, err)
	}
	slices.SortFunc(items, func(a, b Item) int {
		if a.Folder != b.Folder {
			if a.Folder {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return items, nil
}

func (d *Root) list(name string) (items []Item, err error) {
	info, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: no folder", ErrNotFound)
	}
	f, err := fsCall(d, func() (*os.File, error) { return inFolder(d, name, openIn) })
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
	if info.Mode().Type() == fs.ModeSymlink {
		target, err := d.stat(full)
		if err != nil {
			return Item{}, false
		}
		info = target
	}
	item := Item{Name: name, Folder: info.IsDir(), Modified: info.ModTime()}
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
