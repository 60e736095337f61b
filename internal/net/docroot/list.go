package docroot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

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
