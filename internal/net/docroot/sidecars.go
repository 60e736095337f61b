package docroot

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"
)

// sidecars are the precompressed files beside a file, such as page.html.gz. They are looked up when
// the file is opened and whenever it is revalidated, and opened on first use.
type sidecars struct {
	found []sidecar

	mu     sync.Mutex
	opened []File // parallel to found; File is nil until it is opened
}

type sidecar struct {
	coding coding
	info   fs.FileInfo
}

// staleAfter is by how much a sidecar file may be older than its plain file. Compressors copy the
// time, builds produce a later one, and archives keep even seconds only. A sidecar file that is
// older was made from an earlier version.
const staleAfter = 2 * time.Second

// findSidecars returns the sidecar files of a file: regular, inside the root, not stale. A file
// that is compressed itself has none. Sidecar files whose stat fails are left out, because the
// plain file will do.
func (d *Root) findSidecars(name string, info fs.FileInfo) (found []sidecar) {
	if d.root == nil || slices.ContainsFunc(codings, func(c coding) bool { return path.Ext(name) == c.suffix }) {
		return nil
	}
	for _, c := range d.codings {
		if n, err := d.stat(name + c.suffix); err == nil && isFresh(n, info) {
			found = append(found, sidecar{coding: c, info: n})
		}
	}
	return found
}

func isFresh(n, plain fs.FileInfo) bool {
	return n.Mode().IsRegular() && plain.ModTime().Sub(n.ModTime()) <= staleAfter
}

// Variant returns the sidecar file of that content coding, one of Encodings. It is opened on first
// use and stays valid until the entry's Release. The error wraps ErrNotFound or ErrForbidden if the
// file has gone meanwhile; Plain is still available.
func (e *Entry) Variant(encoding string) (File, error) {
	i := slices.Index(e.Encodings, encoding)
	if i < 0 {
		return File{}, fmt.Errorf("open %s as %s: %w", e.Name, encoding, ErrNotFound)
	}
	all := &e.sidecars
	all.mu.Lock()
	file := all.opened[i]
	if file.File != nil {
		all.mu.Unlock()
		return file, nil
	}
	c := all.found[i].coding
	file, err := e.openSidecar(c)
	all.opened[i] = file
	all.mu.Unlock()
	if err != nil {
		return File{}, e.root.classify("open", "/"+e.name+c.suffix, err)
	}
	release(e.root.cache.addOpened(e))
	return file, nil
}

// openSidecar opens the sidecar file of that coding and checks it again, because it may have been
// replaced.
func (e *Entry) openSidecar(c coding) (File, error) {
	f, info, err := e.root.openFile(e.name + c.suffix)
	if err != nil {
		return File{}, err
	}
	if !isFresh(info, e.info) {
		return File{}, errors.Join(fmt.Errorf("%w: older than the file beside it", ErrNotFound), f.Close())
	}
	now := time.Now()
	e.young = e.young || young(info, now)
	return newFile(f, info, e.Plain.Type, c, now), nil
}

func (n *sidecars) close() {
	for _, f := range n.opened {
		if f.File != nil {
			_ = f.Close() // as in Release
		}
	}
}

// isCurrent reports whether the path still leads to the files that e has open. That is never so for
// a block device, because its size may have changed.
func (d *Root) isCurrent(e *Entry) bool {
	info, err := d.stat(e.name)
	if err != nil || !sameState(info, e.info) || !info.Mode().IsRegular() {
		return false
	}
	e.sidecars.mu.Lock()
	young := e.young
	e.sidecars.mu.Unlock()
	return !young && slices.EqualFunc(d.findSidecars(e.name, info), e.sidecars.found,
		func(a, b sidecar) bool { return a.coding == b.coding && sameState(a.info, b.info) })
}
