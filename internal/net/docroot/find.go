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
func (s *Root) canonical(p string) (string, error) {
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
		case s.hides(elem, len(kept) == 0):
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
func (s *Root) hides(elem string, top bool) bool {
	return elem[0] == '.' && !s.hidden && s.root != nil && !(top && elem == wellKnown)
}

// reservedName reports whether an element is not just a name on this system: Windows has a second
// separator, streams after a colon, device names, and it drops trailing dots and spaces.
func reservedName(elem string) bool {
	return runtime.GOOS == "windows" &&
		(strings.ContainsAny(elem, `\:`) || strings.TrimRight(elem, ". ") != elem || !filepath.IsLocal(elem))
}

// find looks up a path in the file system, without the cache.
func (s *Root) find(p string) (*Entry, error) {
	canonical, err := s.canonical(p)
	if err != nil {
		return nil, err
	}
	name := strings.Trim(canonical, "/")
	if s.root == nil {
		only := filepath.Base(s.single)
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
	if s.root != nil && strings.HasSuffix(p, "/") {
		e, err = s.findFolder(p, name)
	} else {
		e, err = s.findFile(p, name)
	}
	if err != nil {
		return nil, s.classify("look up", p, err)
	}
	return e, nil
}

func redirect(to string) *Entry { return &Entry{Name: path.Base(to), Redirect: to} }

func (s *Root) findFile(p, name string) (*Entry, error) {
	info, err := s.stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && s.root != nil {
		return redirect(p + "/"), nil
	}
	return s.open(name, info)
}

// findFolder looks for the index first: if there is one, the folder exists too. An index that must
// not be served makes the folder forbidden, because it was meant to replace the listing.
func (s *Root) findFolder(p, name string) (*Entry, error) {
	info, err := s.stat(path.Join(name, index))
	switch {
	case err == nil && !info.IsDir():
		return s.open(path.Join(name, index), info)
	case err != nil && !isAbsent(err):
		return nil, err
	}
	if name == "" {
		name = "."
	}
	if info, err = s.stat(name); err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return &Entry{Name: path.Base(p), Folder: true}, nil
	case s.serves(info):
		return redirect(strings.TrimSuffix(p, "/")), nil
	}
	return nil, notServed(info)
}

// serves reports whether a file of this kind can be served.
func (s *Root) serves(info fs.FileInfo) bool {
	const block = fs.ModeDevice
	return info.Mode().IsRegular() || s.root == nil && info.Mode().Type() == block
}

func notServed(info fs.FileInfo) error {
	return fmt.Errorf("%w: neither a file nor a folder (%v)", ErrForbidden, info.Mode().Type())
}

// open opens what stat found, and checks again: a FIFO or a device may have taken the name
// meanwhile. That has then been opened, but without waiting for it.
func (s *Root) open(name string, found fs.FileInfo) (*Entry, error) {
	if !s.serves(found) {
		return nil, notServed(found)
	}
	f, info, err := s.openFile(name)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	e := &Entry{Name: path.Base(name), root: s, name: name, info: info, young: young(info, now)}
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
	e.sidecars.found = s.findSidecars(name, info)
	e.sidecars.opened = make([]File, len(e.sidecars.found))
	for _, n := range e.sidecars.found {
		e.Encodings = append(e.Encodings, n.coding.name)
	}
	return e, nil
}

func (s *Root) openFile(name string) (*os.File, fs.FileInfo, error) {
	f, err := fsCall(s, func() (*os.File, error) {
		if s.root == nil {
			return os.OpenFile(s.single, openFlags, 0)
		}
		return inFolder(s, name, openIn)
	})
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !s.serves(info) {
		err = notServed(info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func (s *Root) stat(name string) (fs.FileInfo, error) {
	return fsCall(s, func() (fs.FileInfo, error) {
		if s.root == nil {
			return os.Stat(s.single)
		}
		return inFolder(s, name, (*os.Root).Stat)
	})
}

func openIn(r *os.Root, name string) (*os.File, error) { return r.OpenFile(name, openFlags, 0) }

// fsCallsMax is how many calls may wait for the disk at once. Each blocks a thread; a Go process
// may have 10,000, and a disk that does not respond would block them all.
const fsCallsMax = 64

// fsCall makes a call to the file system. Calls need descriptors, os.Root one for every element of
// a path. When none is left, fsCall closes some that the cache holds without another holder, and
// calls again.
func fsCall[T any](s *Root, call func() (T, error)) (T, error) {
	s.fsCalls <- struct{}{}
	defer func() { <-s.fsCalls }()
	for folders := true; ; {
		v, err := call()
		if !outOfDescriptors(err) {
			return v, err
		}
		unused := s.cache.evictUnheld()
		if len(unused) == 0 {
			if !folders || !s.folders.closeAll() {
				return v, err
			}
			folders = false // once only, because the call opens one again
		}
		release(unused)
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
func (s *Root) classify(what, p string, err error) error {
	switch {
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return fmt.Errorf("%s %q: %w", what, p, err)
	case isAbsent(err):
		return fmt.Errorf("%s %q: %w: %w", what, p, ErrNotFound, err)
	case s.escapes != nil && errors.Is(err, s.escapes):
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
