// Package pagecache brings files into a state of the page cache, and verifies that they are in it.
package pagecache

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// ErrLost reports that a part of a file left the page cache, or came into it, when it should not.
var ErrLost = errors.New("the page cache did not keep the state")

// File is a file whose place in the page cache is under control.
type File struct{ *source.File }

// Open opens a file.
func Open(path string) (*File, error) {
	f, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// With opens a file, calls do, and closes it.
func With(path string, do func(*File) error) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// Whole is the range of all bytes.
func (f *File) Whole() source.Range { return source.Range{Off: 0, End: f.Bytes} }

// Warm reads the file into the page cache in order, unless it is there.
func (f *File) Warm() error {
	for range 3 {
		if err := f.StillWarm(); !errors.Is(err, ErrLost) {
			return err
		}
		if err := ReadRange(f.OS(), f.Whole()); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %w: it does not stay; try a smaller --size", f.Name, ErrLost)
}

// StillWarm returns ErrLost unless all of the file is in the page cache. Where the system does not tell, it is
// taken to be.
func (f *File) StillWarm() error {
	cached, err := f.CachedBytes(f.Whole())
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err == nil && cached < f.Bytes:
		return fmt.Errorf("%s: %w: %d of %d bytes are in it", f.Name, ErrLost, cached, f.Bytes)
	}
	return err
}

// Pages that are dirty, or being read ahead, stay for some time.
const (
	dropTries = 20
	dropPause = 10 * time.Millisecond
)

// Cold removes the file from the page cache.
func (f *File) Cold() error {
	for try := range dropTries {
		if err := f.Drop(f.Whole()); err != nil {
			return err
		}
		cached, err := f.CachedBytes(f.Whole())
		if err != nil || cached == 0 {
			return err
		}
		if try == 0 {
			if err := f.sync(); err != nil {
				return err
			}
		}
		time.Sleep(dropPause)
	}
	return fmt.Errorf("%s: %w: it does not leave it", f.Name, ErrLost)
}

func (f *File) sync() error {
	w, err := os.OpenFile(f.Name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(w.Sync(), w.Close())
}

// OnlyCached makes the page cache hold exactly these ranges of the file, which must be in ascending order. It
// reads them in order, so that they are cached as in a warm file, and drops what the kernel read ahead beyond
// them.
func (f *File) OnlyCached(ranges []source.Range) error {
	if err := f.Cold(); err != nil {
		return err
	}
	var want int64
	for _, r := range ranges {
		if err := ReadRange(f.OS(), r); err != nil {
			return err
		}
		want += r.Len()
	}
	for try := 0; ; try++ {
		end := int64(0)
		for _, r := range append(ranges[:len(ranges):len(ranges)], source.Range{Off: f.Bytes}) {
			if err := f.Drop(source.Range{Off: end, End: r.Off}); err != nil {
				return err
			}
			end = r.End
		}
		cached, err := f.CachedBytes(f.Whole())
		if err != nil || cached >= want*99/100 && cached <= want*101/100 {
			return err
		}
		if try == dropTries {
			return fmt.Errorf("%s: %w: %d bytes are in it, want %d", f.Name, ErrLost, cached, want)
		}
		time.Sleep(dropPause)
	}
}

// ReadRange reads a range of a file in order and in large pieces, and discards it: the kernel reads ahead into
// large folios.
func ReadRange(f *os.File, r source.Range) error {
	buf := make([]byte, 1<<20)
	for off := r.Off; off < r.End; {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), r.End-off)], off)
		off += int64(n)
		if err != nil && (err != io.EOF || off < r.End) {
			return fmt.Errorf("read %s at %d: %w", f.Name(), off, err)
		}
	}
	return nil
}
