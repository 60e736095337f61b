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

// neighbours are the precompressed files beside one. They are looked for when it is opened
// and whenever it is compared, and opened when they are first asked for.
type sidecars struct {
	found []sidecar

	mu     sync.Mutex
	opened []File // of found; File is nil until it is opened
}

type sidecar struct {
	coding coding
	info   fs.FileInfo
}

// staleAfter is by how much a neighbour may be older than the file that it stands for.
// Compressors give it the same time, builds a later one, and archives keep even seconds
// only; one that is older still was made from what the file held before.
const staleAfter = 2 * time.Second

// findNeighbours returns the neighbours of a file: regular, inside, not stale. A file that
// is compressed itself has none. One that cannot be looked at is not offered: the file
// itself answers as well.
func (s *Root) findSidecars(name string, info fs.FileInfo) (found []sidecar) {
	if s.root == nil || slices.ContainsFunc(codings, func(c coding) bool { return path.Ext(name) == c.suffix }) {
		return nil
	}
	for _, c := range s.codings {
		if n, err := s.stat(name + c.suffix); err == nil && isFresh(n, info) {
			found = append(found, sidecar{coding: c, info: n})
		}
	}
	return found
}

func isFresh(n, plain fs.FileInfo) bool {
	return n.Mode().IsRegular() && plain.ModTime().Sub(n.ModTime()) <= staleAfter
}

// Variant returns the neighbour of that content coding, one of Encodings. It is opened
// when first asked for, and stays valid until the entry's Release. The error wraps
// ErrNotFound or ErrForbidden where it has gone since: Plain is still there.
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

// openNeighbour opens the neighbour of that coding, and looks at it again: it may be
// another one by now.
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

// current reports whether the path still leads to what e has open, and to the same
// neighbours. A block device never is: its size may have changed.
func (s *Root) isCurrent(e *Entry) bool {
	info, err := s.stat(e.name)
	if err != nil || !sameState(info, e.info) || !info.Mode().IsRegular() {
		return false
	}
	e.sidecars.mu.Lock()
	young := e.young
	e.sidecars.mu.Unlock()
	return !young && slices.EqualFunc(s.findSidecars(e.name, info), e.sidecars.found,
		func(a, b sidecar) bool { return a.coding == b.coding && sameState(a.info, b.info) })
}
