// Package docroot opens the files of a document root by the paths of URLs, and never a file outside
// it.
//
// A path goes through three stages. First its text is checked: parents, hidden names and different
// spellings of one path never reach the file system. Then os.Root walks it element by element, so
// that no symbolic link leads out of the root, even if links change meanwhile. It refuses every
// absolute link; one whose text leads into the root is resolved, and its target walked in the same
// way. The files found stay
// open in a cache, because the walk takes two system calls per element, and a response from the
// cache needs none of them.
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

	"github.com/thresh-dev/thresh/failure"
)

// ErrNotFound and ErrForbidden say why a path cannot be served. Other errors of Lookup and List are
// from the system, such as syscall.EMFILE, and may be temporary.
var (
	ErrNotFound  = errors.New("not found")
	ErrForbidden = errors.New("forbidden")
)

// Root is the folder, or the single file, that is served. It is safe for concurrent use.
type Root struct {
	root     *os.Root // nil if a single file is served
	single   string   // the path of that file, absolute
	places   places   // of root, for absolute links
	escapes  error    // the error of os.Root for a path that leaves it
	hidden   bool
	codings  []coding
	fsCalls  chan struct{} // semaphore for calls that may wait for the disk
	free     func() bool   // frees descriptors of others
	cache    cache
	folders  folders
	listings listings
}

// Open opens the folder or file at path. A folder that is renamed stays the same folder; a single
// file is whichever file has the name. A block device is served like a file, but without ETag and
// Modified, because its content changes without a trace. A single file has no sidecar files,
// because only the file itself was named.
func Open(path string, o Options) (*Root, error) {
	d := &Root{hidden: o.Hidden, fsCalls: make(chan struct{}, fsCallsMax), free: o.FreeDescriptors}
	var err error
	if d.codings, err = o.codings(); err != nil {
		return nil, err
	}
	if err := o.checkLimits(); err != nil {
		return nil, err
	}
	filesMax := o.OpenFiles
	if filesMax == 0 {
		filesMax = openFilesDefault
	}
	if all, known := d.DescriptorsMax(); known {
		filesMax = int(min(uint64(filesMax), max(all/descriptorShare, 1)))
	}
	d.cache, d.folders = newCache(filesMax, o.Revalidate), newFolders(filesMax)
	d.listings = newListings()

	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("serve %s: %w", path, err)
	case !info.IsDir():
		return d, d.openSingle(path, info)
	}
	if d.root, err = os.OpenRoot(path); err != nil {
		return nil, fmt.Errorf("serve %s: %w", path, err)
	}
	if d.places, err = newPlaces(path); err != nil {
		return nil, errors.Join(fmt.Errorf("serve %s: %w", path, err), d.root.Close())
	}
	// os does not export the error for paths that leave a root, so we provoke it once.
	var refused *fs.PathError
	if _, err := d.root.Stat(".."); errors.As(err, &refused) {
		d.escapes = refused.Err
	}
	return d, nil
}

// DescriptorsMax returns how many descriptors the process may open, if that is known.
func (d *Root) DescriptorsMax() (uint64, bool) { return descriptorsMax() }

// DescriptorsKept returns how many descriptors the root keeps open at most, besides those of
// entries that are held.
func (d *Root) DescriptorsKept() int { return d.cache.filesMax + d.folders.max }

// openSingle checks that the file can be served now.
func (d *Root) openSingle(path string, info fs.FileInfo) error {
	if !d.serves(info) {
		return fmt.Errorf("serve %s: not a folder, file or block device (%v)", path, info.Mode().Type())
	}
	var err error
	if d.single, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("serve %s: %w", path, err)
	}
	e, err := d.Lookup("/")
	if err != nil {
		return fmt.Errorf("serve %s: %w", path, err)
	}
	e.Release()
	return nil
}

// Single reports whether a single file is served.
func (d *Root) Single() bool { return d.root == nil }

// Close closes the cached files. Entries that are held stay valid until they are released.
func (d *Root) Close() error {
	release(d.cache.close())
	d.folders.close()
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// Entry is a file or folder at a path. The holders share it, and must not change it; it stays valid
// until Release.
type Entry struct {
	Name     string // the last element of the path; index.html for a folder's index
	Folder   bool
	Redirect string // the canonical path, if it differs: not encoded, with one leading slash
	Plain    File   // the file itself

	Encodings []string // content codings of its sidecar files, best first

	root       *Root // nil if nothing is open
	name       string
	info       fs.FileInfo
	holders    atomic.Int64 // counts the cache, too
	sidecars   sidecars
	cacheState cacheState
	young      bool // a file of it may change without a trace; guarded by sidecars.mu
}

// File is an open regular file, shared by all holders of its entry. Read it with explicit offsets;
// Release closes it.
type File struct {
	*os.File
	Size     int64
	Modified time.Time // zero if the file has no useful time
	ETag     string    // strong, quoted; empty for a block device
	Type     string    // Content-Type
	Encoding string    // Content-Encoding; empty for the file itself
}

// Release gives up the entry. One Release too many panics.
func (e *Entry) Release() {
	if e.root == nil {
		return
	}
	switch left := e.holders.Add(-1); {
	case left < 0:
		panic("thresh: bug: an entry of a document root was released too often")
	case left == 0:
		// Nothing was written, so an error of Close loses nothing.
		_ = e.Plain.Close()
		e.sidecars.close()
	}
}

func release(entries []*Entry) {
	for _, e := range entries {
		e.Release()
	}
}

// Options of a document root.
type Options struct {
	// Hidden also serves names that begin with a dot. Otherwise such names are not found anywhere
	// in a path, except /.well-known/ at the top, which clients rely on (RFC 8615). A symbolic link
	// whose own name is plain may lead to a hidden file: someone has made it on purpose.
	Hidden     bool
	OpenFiles  int           // files kept open; 0: 1024; at most a quarter of the process's descriptors
	Revalidate time.Duration // after this time at most, a changed file is noticed; 0: 1 s
	Encodings  []string      // codings of precompressed sidecar files to look for, best first; nil: zstd, br, gzip

	// FreeDescriptors is called when descriptors are short and the root has none to give up. It
	// reports whether some may be free now. nil: there is nothing to free.
	FreeDescriptors func() bool
}

const (
	openFilesDefault  = 1024
	revalidateDefault = time.Second
	descriptorShare   = 4 // the cache takes at most this share of the process's descriptors
)

// codings lists the content codings, best first, and the suffixes of files that hold them.
var codings = []coding{{"zstd", ".zst"}, {"br", ".br"}, {"gzip", ".gz"}}

type coding struct{ name, suffix string }

// codings returns the codings that o.Encodings names.
func (o *Options) codings() (named []coding, err error) {
	if o.Encodings == nil {
		return codings, nil
	}
	for _, name := range o.Encodings {
		i := slices.IndexFunc(codings, func(c coding) bool { return c.name == name })
		if i < 0 {
			return nil, &failure.OptionError{Field: "Encodings", Value: name,
				Reason: "unknown content coding; there are zstd, br and gzip"}
		}
		named = append(named, codings[i])
	}
	return named, nil
}

func (o *Options) checkLimits() error {
	const reason = "must not be negative"
	switch {
	case o.OpenFiles < 0:
		return &failure.OptionError{Field: "OpenFiles", Value: o.OpenFiles, Reason: reason}
	case o.Revalidate < 0:
		return &failure.OptionError{Field: "Revalidate", Value: o.Revalidate, Reason: reason}
	}
	return nil
}
