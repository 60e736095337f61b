// Package archive lays out archives whose files are stored as they are, so that every byte of an
// archive is known to be of a header or of a place in a file before any of it is written. Its
// length is known, any range of it can be sent, and bodies can be sent by the kernel.
//
// A tar archive is in the format of POSIX.1-1988 (ustar), with headers of POSIX.1-2001 (pax) in
// front of entries that need them: long or non-ASCII names, files of 8 GiB and more. A zip archive
// follows PKWARE's APPNOTE 6.3: method 0, ZIP64 where needed, names in UTF-8, and local headers
// with the checksum, which readers of streams need. So a file is read for its checksum before its
// first byte is sent.
package archive

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"sort"
	"time"
)

// File is an entry of an archive.
type File struct {
	Name       string // with slashes; that of a folder ends with one
	Size       int64  // of a folder 0
	Modified   time.Time
	Executable bool
}

func (f *File) folder() bool { return f.Name[len(f.Name)-1] == '/' }

// Format is tar or zip.
type Format interface {
	// header returns the bytes before the body of file i. For sizing, sum may be any.
	header(f *File, sum uint32) ([]byte, error)
	// padding returns the number of zeros behind a body of that size.
	padding(size int64) int64
	// trailerBytes returns the length of what follows the last entry.
	trailerBytes(a *Archive) int64
	writeTrailer(w io.Writer, a *Archive, sum func(int) (uint32, error)) error
	// needsSum reports whether headers hold the checksum of the body.
	needsSum() bool
}

// Archive says where each byte of an archive comes from.
type Archive struct {
	format Format
	files  []File
	starts []int64 // where the header of each file begins, and where the trailer does
	size   int64
}

// New lays out an archive. It keeps files.
func New(format Format, files []File) (*Archive, error) {
	a := &Archive{format: format, files: files, starts: make([]int64, len(files)+1)}
	var off int64
	for i := range files {
		a.starts[i] = off
		head, err := format.header(&files[i], 0)
		if err != nil {
			return nil, fmt.Errorf("archive %q: %w", files[i].Name, err)
		}
		off += int64(len(head)) + files[i].Size + format.padding(files[i].Size)
	}
	a.starts[len(files)] = off
	a.size = off + format.trailerBytes(a)
	return a, nil
}

// Size returns the length of the archive in bytes.
func (a *Archive) Size() int64 { return a.size }

// Output receives an archive.
type Output interface {
	io.Writer
	// Body writes n bytes of file i from offset off on.
	Body(i int, off, n int64) error
	// Sum returns the CRC-32 of file i. It is called for zip archives only.
	Sum(i int) (uint32, error)
}

// Send writes n bytes of the archive from offset off on.
func (a *Archive) Send(out Output, off, n int64) error {
	w := window{out: out, skip: off, left: n}
	i := max(0, sort.Search(len(a.starts), func(i int) bool { return a.starts[i] > off })-1)
	w.skip -= a.starts[i]
	for ; i < len(a.files) && w.left > 0; i++ {
		if err := a.sendFile(&w, i); err != nil {
			return err
		}
	}
	if w.left == 0 {
		return nil
	}
	if err := a.format.writeTrailer(&w, a, out.Sum); err != nil {
		return err
	}
	if w.left > 0 {
		return fmt.Errorf("thresh: bug: an archive of %d bytes lacks %d", a.size, w.left)
	}
	return nil
}

func (a *Archive) sendFile(w *window, i int) error {
	f := &a.files[i]
	padding := a.format.padding(f.Size)
	headBytes := a.starts[i+1] - a.starts[i] - f.Size - padding
	if w.skip >= headBytes {
		w.skip -= headBytes
	} else {
		var sum uint32
		var err error
		if a.format.needsSum() && !f.folder() {
			if sum, err = w.out.Sum(i); err != nil {
				return err
			}
		}
		head, err := a.format.header(f, sum)
		if err != nil {
			return err
		}
		if _, err := w.Write(head); err != nil {
			return err
		}
	}
	from := min(w.skip, f.Size)
	w.skip -= from
	if n := min(f.Size-from, w.left); n > 0 {
		if err := w.out.Body(i, from, n); err != nil {
			return err
		}
		w.left -= n
	}
	_, err := w.Write(make([]byte, padding))
	return err
}

// window passes on the bytes between skip and skip+left of what is written to it.
type window struct {
	out        Output
	skip, left int64
}

func (w *window) Write(p []byte) (int, error) {
	whole := len(p)
	from := min(w.skip, int64(len(p)))
	w.skip -= from
	p = p[from:]
	p = p[:min(int64(len(p)), w.left)]
	w.left -= int64(len(p))
	if len(p) > 0 {
		if _, err := w.out.Write(p); err != nil {
			return 0, err
		}
	}
	return whole, nil
}

// Tar is the format of tar archives.
var Tar Format = tarFormat{}

type tarFormat struct{}

const (
	tarBlockBytes = 512
	tarEndBytes   = 2 * tarBlockBytes // of zeros
)

func (tarFormat) header(f *File, _ uint32) ([]byte, error) {
	h := tar.Header{
		Typeflag: tar.TypeReg, Name: f.Name, Size: f.Size, Mode: f.mode(), ModTime: f.Modified.Truncate(time.Second),
	}
	if f.folder() {
		h.Typeflag = tar.TypeDir
	}
	var b bytes.Buffer
	err := tar.NewWriter(&b).WriteHeader(&h)
	return b.Bytes(), err
}

// mode returns the permissions.
func (f *File) mode() int64 {
	if f.folder() || f.Executable {
		return 0o755
	}
	return 0o644
}

func (tarFormat) padding(size int64) int64 { return -size & (tarBlockBytes - 1) }

func (tarFormat) trailerBytes(*Archive) int64 { return tarEndBytes }

func (tarFormat) writeTrailer(w io.Writer, _ *Archive, _ func(int) (uint32, error)) error {
	_, err := w.Write(make([]byte, tarEndBytes))
	return err
}

func (tarFormat) needsSum() bool { return false }
