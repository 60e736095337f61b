package docroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// ErrChanged says that a file is not the one that was listed, or has changed since.
var ErrChanged = errors.New("the file has changed")

// Walk calls visit for everything below the folder at path p that listings show, in the order of
// names, a folder before what it holds. below is the path from the folder, and ends with a slash if
// the item is a folder. An index.html hides nothing.
//
// A link is its target. A link to a folder is followed once for each target, and never to a folder
// that holds it, so that a walk ends. Folders that cannot be read are visited, but nothing in them.
func (d *Root) Walk(p string, visit func(below string, item Item) error) error {
	name, err := d.folderName(p)
	if err != nil {
		return err
	}
	info, err := d.stat(name)
	if err != nil {
		return d.classify("walk", p, err)
	}
	w := walk{d: d, visit: visit}
	if err := w.folder(name, "", info); err != nil {
		return d.classify("walk", p, err)
	}
	return nil
}

// walk is one call of Walk.
type walk struct {
	d         *Root
	visit     func(string, Item) error
	ancestors []fs.FileInfo // of the current folder, and itself
	followed  []fs.FileInfo // targets of links
}

func (w *walk) folder(name, below string, info fs.FileInfo) error {
	w.ancestors = append(w.ancestors, info)
	defer func() { w.ancestors = w.ancestors[:len(w.ancestors)-1] }()
	w.d.listings.reading <- struct{}{}
	items, err := w.d.list(name)
	<-w.d.listings.reading
	if err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
	for _, item := range items {
		if !item.Folder {
			if err := w.visit(below+item.Name, item); err != nil {
				return err
			}
			continue
		}
		full := path.Join(name, item.Name)
		info, err := w.d.stat(full)
		if err != nil {
			return err
		}
		if item.Link && !w.mayFollow(info) {
			continue
		}
		if err := w.visit(below+item.Name+"/", item); err != nil {
			return err
		}
		err = w.folder(full, below+item.Name+"/", info)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// mayFollow reports whether a link to the folder is followed, and remembers that.
func (w *walk) mayFollow(info fs.FileInfo) bool {
	same := func(other fs.FileInfo) bool { return os.SameFile(info, other) }
	if slices.ContainsFunc(w.ancestors, same) || slices.ContainsFunc(w.followed, same) {
		return false
	}
	w.followed = append(w.followed, info)
	return true
}

// OpenListed opens the file at path p, which must still be the one that item describes; otherwise
// the error wraps ErrChanged.
func (d *Root) OpenListed(p string, item *Item) (*os.File, error) {
	f, err := fsCall(d, func() (*os.File, error) { return inFolder(d, strings.TrimPrefix(p, "/"), openIn) })
	if err == nil {
		err = CheckListed(f, item)
		if err == nil {
			return f, nil
		}
		err = errors.Join(err, f.Close())
	}
	if isAbsent(err) {
		err = fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return nil, d.classify("open", p, err)
}

// CheckListed returns an error that wraps ErrChanged unless f is in the state that item describes.
func CheckListed(f *os.File, item *Item) error {
	info, err := f.Stat()
	if err == nil && !item.describes(info) {
		err = fmt.Errorf("%w: %s", ErrChanged, item.Name)
	}
	return err
}

// describes reports whether info is the state of the file that the item describes.
func (i *Item) describes(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && inode(info) == i.inode && changeTime(info) == i.changed &&
		info.Size() == i.Size && info.ModTime().Equal(i.Modified)
}

// State identifies a content of a file, as far as its inode tells. It can be compared.
type State struct {
	inode          uint64
	size, modified int64
	changed        int64
}

// State returns the state of the file when it was listed.
func (i *Item) State() State { return State{i.inode, i.Size, i.Modified.UnixNano(), i.changed} }

// Tag identifies the content like the entity tag of the file does.
func (i *Item) Tag() string { return fmt.Sprintf("%x-%x-%x", i.inode, i.Size, i.Modified.UnixNano()) }

// Young reports whether the file may change again without a new modification time.
func (i *Item) Young(now time.Time) bool { return isYoung(i.Modified, now) }
