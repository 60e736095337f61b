// Package docroot is the served folder: paths to open files, none of them outside it.
//
// A path goes through three stages. Its text is judged first: what names a parent, a
// hidden file or the same thing in two ways never reaches the file system. Then os.Root
// walks it, element by element, so that no symbolic link leads out, whatever changes
// meanwhile. What it finds is kept open in a cache, because that walk is two system calls
// per element and an answer needs none of them twice.
package docroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// Why a path has no answer. Other errors of Lookup and List are the system's, such as
// syscall.EMFILE, and mean that the answer could be had at another time.
var (
	ErrNotFound  = errors.New("not found")
	ErrForbidden = errors.New("forbidden")
)

// Options say what is served.
type Options struct {
	// Hidden serves names that begin with a dot too. Without it they are not found, in
	// whatever part of the path, but for /.well-known/ at the top, which clients rely on
	// (RFC 8615). A link with a plain name to a hidden file is served: someone made it.
	Hidden     bool
	OpenFiles  int           // files kept open; 0: 1024; at most a quarter of what the process may open
	Revalidate time.Duration // what changes at a path is seen after this long at the latest; 0: one second
	Encodings  []string      // precompressed neighbours that are looked for, best first; nil: zstd, br, gzip
}

const (
	openFilesDefault  = 1024
	revalidateDefault = time.Second
	descriptorShare   = 4 // the cache takes at most this part of the descriptors that may be had
)

// codings names the content codings, best first, and how the files that hold them end.
var codings = []coding{{"zstd", ".zst"}, {"br", ".br"}, {"gzip", ".gz"}}

type coding struct{ name, suffix string }

// Site is a folder, or a single file, that is served. It is safe for concurrent use.
type Root struct {
	root    *os.Root // nil where a single file is served
	single  string   // that file, absolute
	escapes error    // what root says of a path that leaves it
	hidden  bool
	codings []coding
	fsCalls chan struct{} // bounds the calls that may wait for the disk
	cache   cache
	folders folders
}

// Open opens the folder or file at path. The folder stays the one that it is now when it
// is renamed; the file is the one that has that name. A block device is served like a
// file; its content changes without a trace, so it has neither ETag nor Modified. A single
// file has no precompressed neighbours: only it was named.
func Open(path string, o Options) (*Root, error) {
	s := &Root{hidden: o.Hidden, codings: codings, fsCalls: make(chan struct{}, fsCallsMax)}
	if o.Encodings != nil {
		s.codings = nil
		for _, name := range o.Encodings {
			i := slices.IndexFunc(codings, func(c coding) bool { return c.name == name })
			if i < 0 {
				return nil, fmt.Errorf("serve %s: content coding %q has no files; there are zstd, br and gzip", path, name)
			}
			s.codings = append(s.codings, codings[i])
		}
	}
	if o.OpenFiles < 0 || o.Revalidate < 0 {
		return nil, fmt.Errorf("serve %s: %d open files, compared every %v: neither may be negative",
			path, o.OpenFiles, o.Revalidate)
	}
	filesMax := o.OpenFiles
	if filesMax == 0 {
		filesMax = openFilesDefault
	}
	if all, known := descriptorsMax(); known {
		filesMax = int(min(uint64(filesMax), max(all/descriptorShare, 1)))
	}
	s.cache, s.folders = newCache(filesMax, o.Revalidate), newFolders(filesMax)

	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("serve %s: %w", path, err)
	case !info.IsDir():
		return s, s.openSingle(path, info)
	}
	if s.root, err = os.OpenRoot(path); err != nil {
		return nil, fmt.Errorf("serve %s: %w", path, err)
	}
	// os does not export the error by which it refuses to leave: it is asked for it once.
	var refused *fs.PathError
	if _, err := s.root.Stat(".."); errors.As(err, &refused) {
		s.escapes = refused.Err
	}
	return s, nil
}

// openSingle checks that the file can be served, now.
func (s *Root) openSingle(path string, info fs.FileInfo) error {
	if !s.serves(info) {
		return fmt.Errorf("serve %s: neither folder, file nor block device (%v)", path, info.Mode().Type())
	}
	var err error
	if s.single, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("serve %s: %w", path, err)
	}
	e, err := s.Lookup("/")
	if err != nil {
		return fmt.Errorf("serve %s: %w", path, err)
	}
	e.Release()
	return nil
}

// Close closes what is kept open. Entries that are held stay valid until released.
func (s *Root) Close() error {
	release(s.cache.close())
	s.folders.close()
	if s.root == nil {
		return nil
	}
	return s.root.Close()
}

// Entry is what stands at a path: a file or a folder. It is held until Release, and shared
// with others who hold it: nobody changes it.
type Entry struct {
	Name     string // the last part of the path; of a folder's index.html: that
	Folder   bool
	Redirect string // where the canonical path differs: that path, not encoded, with one slash in front
	Plain    File   // the file itself

	Encodings []string // content codings of its precompressed neighbours, best first

	root       *Root // nil where nothing is open
	name       string
	info       fs.FileInfo
	holders    atomic.Int64 // the cache is one of them
	sidecars   sidecars
	cacheState cacheState
	young      bool // a file of it may change without a trace; mu of neighbours guards it
}

// File is an open regular file, shared by all who hold its entry: read it with explicit
// offsets, and leave closing it to Release.
type File struct {
	*os.File
	Size     int64
	Modified time.Time // zero where the file has no useful time
	ETag     string    // strong, quoted; empty for a block device
	Type     string    // Content-Type
	Encoding string    // Content-Encoding; empty for the file itself
}

// Release gives the entry back. Who calls it once too often ends the program.
func (e *Entry) Release() {
	if e.root == nil {
		return
	}
	switch left := e.holders.Add(-1); {
	case left < 0:
		panic("thresh: bug: an entry of a site was released too often")
	case left == 0:
		// Closing what was only read loses nothing, whatever it answers.
		_ = e.Plain.Close()
		e.sidecars.close()
	}
}

func release(entries []*Entry) {
	for _, e := range entries {
		e.Release()
	}
}
