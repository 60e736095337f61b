// Package site is the served folder: paths to open files, none of them outside it.
package site

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Why a path has no answer. Errors of Lookup wrap one of them.
var (
	ErrNotFound  = errors.New("not found")
	ErrForbidden = errors.New("forbidden")
)

// Options say what is served.
type Options struct {
	Hidden    bool          // also names that begin with a dot
	OpenFiles int           // files kept open; 0: 1024
	Validate  time.Duration // an open file is compared with the path again after this long; 0: one second
	Encodings []string      // precompressed neighbours that are looked for, best first; nil: zstd, br, gzip
}

// Site is a folder, or a single file, that is served. It is safe for concurrent use.
type Site struct{}

// Open opens the folder or file at path.
func Open(path string, o Options) (*Site, error) { return nil, errors.ErrUnsupported }

// Close closes what is kept open. Entries that are held stay valid until released.
func (s *Site) Close() error { return nil }

// Entry is what stands at a path: a file or a folder. It is held until Release.
type Entry struct {
	Name     string // the last part of the path
	Folder   bool
	Redirect string // where the canonical path differs: that path (a slash too many or too few)
	Plain    File   // the file itself

	Encodings []string // content codings of its precompressed neighbours, best first
}

// Variant returns the neighbour of that content coding, one of Encodings. It is opened
// when first asked for, and stays valid until the entry's Release.
func (e *Entry) Variant(encoding string) (File, error) { return File{}, ErrNotFound }

// File is an open regular file.
type File struct {
	*os.File
	Size     int64
	Modified time.Time
	ETag     string // strong, quoted
	Type     string // Content-Type
	Encoding string // Content-Encoding; empty for the file itself
}

// Release gives the entry back.
func (e *Entry) Release() {}

// Lookup returns what stands at the path of a URL, decoded, which begins with a slash. A
// folder with an index.html is that file when its path ends with a slash. It never blocks
// on what is no regular file or folder: these are forbidden.
func (s *Site) Lookup(path string) (*Entry, error) { return nil, ErrNotFound }

// Item is a line of a listing.
type Item struct {
	Name     string
	Folder   bool
	Size     int64
	Modified time.Time
}

// List returns what is in the folder at path, folders first, each in the order of names.
// What would be refused is left out.
func (s *Site) List(path string) ([]Item, error) { return nil, fs.ErrNotExist }
