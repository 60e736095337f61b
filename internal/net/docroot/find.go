package docroot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	index     = "index.html"
	wellKnown = ".well-known"
)

// canonical returns the only spelling of a path that is served directly: without empty elements and
// ".". Paths with a parent, a hidden name, or an element that cannot be a file name are not found.
func (d *Root) canonical(p string) (string, error) {
	rest, ok := strings.CutPrefix(p, "/")
	if !ok {
		return "", fmt.Errorf("look up %q: %w: no leading slash", p, ErrNotFound)
	}
	var kept []string
	for elem := range strings.SplitSeq(rest, "/") {
		switch {
		case elem == "" || elem == ".":
		case elem == ".." || strings.IndexByte(elem, 0) >= 0 || reservedName(elem):
			return "", fmt.Errorf("look up %q: %w: not the name of a file below the folder", p, ErrNotFound)
		case d.hides(elem, len(kept) == 0):
			return "", fmt.Errorf("look up %q: %w: hidden", p, ErrNotFound)
		default:
			kept = append(kept, elem)
		}
	}
	clean := "/" + strings.Join(kept, "/")
	if len(kept) > 0 && (strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.")) {
		clean += "/"
	}
	return clean, nil
}

// hides reports whether an element of a path is hidden. top marks the first element.
func (d *Root) hides(elem string, top bool) bool {
	return elem[0] == '.' && !d.hidden && d.root != nil && !(top && elem == wellKnown)
}

// reservedName reports whether an element is not just a name on this system: Windows has a second
// separator, streams after a colon, device names, and it drops trailing dots and spaces.
func reservedName(elem string) bool {
	return runtime.GOOS == "windows" &&
		(strings.ContainsAny(elem, `\:`) || strings.TrimRight(elem, ". ") != elem || !filepath.IsLocal(elem))
}

// find looks up a path in the file system, without the cache.
func (d *Root) find(p string) (*Entry, error) {
	canonical, err := d.canonical(p)
	if err != nil {
		return nil, err
	}
	name := strings.Trim(canonical, "/")
	if d.root == nil {
		only := filepath.Base(d.single)
		if name != "" && name != only {
			return nil, fmt.Errorf("look up %q: %w: only %s is served", p, ErrNotFound, only)
		}
		canonical, name = strings.TrimRight(canonical, "/"), only
		if canonical == "" {
			canonical = "/"
		}
	}
	if canonical != p {
		return redirect(canonical), nil
	}
	var e *Entry
	if d.root != nil && strings.HasSuffix(p, "/") {
		e, err = d.findFolder(p, name)
	} else {
		e, err = d.findFile(p, name)
	}
	if err != nil {
		return nil, d.classify("look up", p, err)
	}
	return e, nil
}

func redirect(to string) *Entry { return &Entry{Name: path.Base(to), Redirect: to} }

func (d *Root) findFile(p, name string) (*Entry, error) {
	info, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && d.root != nil {
		return redirect(p + "/"), nil
	}
	return d.open(name, info)
}

// findFolder looks for the index first: if there is one, the folder exists too. An index that must
// not be served makes the folder forbidden, because it was meant to replace the listing.
func (d *Root) findFolder(p, name string) (*Entry, error) {
	info, err := d.stat(path.Join(name, index))
	switch {
	case err == nil && !info.IsDir():
		return d.open(path.Join(name, index), info)
	case err != nil && !isAbsent(err):
		return nil, err
	}
	if name == "" {
		name = "."
	}
	if info, err = d.stat(name); err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return &Entry{Name: path.Base(p), Folder: true}, nil
	case d.serves(info):
		return redirect(strings.TrimSuffix(p, "/")), nil
	}
	return nil, notServed(info)
}

// serves reports whether a file of this kind can be served.
func (d *Root) serves(info fs.FileInfo) bool {
	const block = fs.ModeDevice
	return info.Mode().IsRegular() || d.root == nil && info.Mode().Type() == block
}

func notServed(info fs.FileInfo) error {
	return fmt.Errorf("%w: neither a file nor a folder (%v)", ErrForbidden, info.Mode().Type())
}

// open opens what stat found, and checks again: a FIFO or a device may have taken the name
// meanwhile. That has then been opened, but without waiting for it.
func (d *Root) open(name string, found fs.FileInfo) (*Entry, error) {
	if !d.serves(found) {
		return nil, notServed(found)
	}
	f, info, err := d.openFile(name)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	e := &Entry{Name: path.Base(name), root: d, name: name, info: info, young: young(info, now)}
	e.Plain = newFile(f, info, TypeOf(name), coding{}, now)
	e.cacheState.files = 1
	e.holders.Store(1)
	if !info.Mode().IsRegular() {
		e.Plain.ETag, e.Plain.Modified = "", time.Time{}
		if e.Plain.Size, err = f.Seek(0, io.SeekEnd); err != nil {
			e.Release()
			return nil, err
		}
	}
	e.sidecars.found = d.findSidecars(name, info)
	e.sidecars.opened = make([]File, len(e.sidecars.found))
	for _, n := range e.sidecars.found {
		e.Encodings = append(e.Encodings, n.coding.name)
	}
	return e, nil
}

func (d *Root) openFile(name string) (*os.File, fs.FileInfo, error) {
	f, err := fsCall(d, func() (*os.File, error) {
		if d.root == nil {
			return os.OpenFile(d.single, openFlags, 0)
		}
		return inFolder(d, name, openIn)
	})
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !d.serves(info) {
		err = notServed(info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func (d *Root) stat(name string) (fs.FileInfo, error) {
	return fsCall(d, func() (fs.FileInfo, error) {
		if d.root == nil {
			return os.Stat(d.single)
		}
		return inFolder(d, name, (*os.Root).Stat)
	})
}

func openIn(r *os.Root, name string) (*os.File, error) { return r.OpenFile(name, openFlags, 0) }

// fsCallsMax is how many calls may wait for the disk at once. Each blocks a thread; a Go process
// may have 10,000, and a disk that does not respond would block them all.
const fsCallsMax = 64

const askedMax = 8 // times that a call asks for descriptors

// fsCall makes a call to the file system. Calls need descriptors, os.Root one for every element of
// a path. When none is left, fsCall closes some that the cache holds without another holder, then
// asks for others, and calls again.
func fsCall[T any](d *Root, call func() (T, error)) (T, error) {
	d.fsCalls <- struct{}{}
	defer func() { <-d.fsCalls }()
	for folders, asked := true, 0; ; {
		v, err := call()
		if !outOfDescriptors(err) {
			return v, err
		}
		unused := d.cache.evictUnheld()
		switch {
		case len(unused) > 0:
			release(unused)
		case folders && d.folders.closeAll():
			folders = false // once only, because the call opens one again
		case d.free != nil && asked < askedMax && d.free():
			asked++ // others may take what was freed
		default:
			return v, err
		}
	}
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// isAbsent reports whether err means that the name does not exist, or cannot.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}

// classify wraps an error of the file system in ErrNotFound or ErrForbidden if it means that.
func (d *Root) classify(what, p string, err error) error {
	switch {
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return fmt.Errorf("%s %q: %w", what, p, err)
	case isAbsent(err):
		return fmt.Errorf("%s %q: %w: %w", what, p, ErrNotFound, err)
	case d.escapes != nil && errors.Is(err, d.escapes):
		return fmt.Errorf("%s %q: %w: a link leads out of the folder", what, p, ErrForbidden)
	case errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.ELOOP), // a cycle of links, or more than os.Root follows
		errors.Is(err, syscall.ENXIO), // a socket, or a missing device
		errors.Is(err, syscall.ENODEV):
		return fmt.Errorf("%s %q: %w: %w", what, p, ErrForbidden, err)
	case outOfDescriptors(err):
		return fmt.Errorf("%s %q: %w; raise the limit of open files (ulimit -n) or allow fewer connections", what, p, err)
	}
	return fmt.Errorf("%s %q: %w", what, p, err)
}
