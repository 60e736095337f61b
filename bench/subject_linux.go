package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// subject is a file to search, with control of its place in the page cache.
type subject struct{ *source.File }

func openSubject(path string) (*subject, error) {
	f, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	return &subject{f}, nil
}

func (s *subject) whole() source.Range { return source.Range{Off: 0, End: s.Bytes} }

// errLost reports that pages of a file left the page cache during a sample.
var errLost = errors.New("left the page cache during the sample")

// warm reads the file into the page cache, unless it is already there.
func (s *subject) warm() error {
	for range 3 {
		if err := s.stillWarm(); !errors.Is(err, errLost) {
			return err
		}
		if err := readRange(s.OS(), s.whole()); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s does not stay in the page cache; try a smaller --size", s.Name)
}

// stillWarm returns errLost if a part of the file is not in the page cache.
func (s *subject) stillWarm() error {
	cached, err := s.CachedBytes(s.whole())
	if err == nil && cached < s.Bytes {
		return fmt.Errorf("%s: %w: %d of %d bytes are cached", s.Name, errLost, cached, s.Bytes)
	}
	return err
}

// cold removes the file from the page cache.
func (s *subject) cold() error {
	for range 3 {
		if err := s.Drop(s.whole()); err != nil {
			return err
		}
		cached, err := s.CachedBytes(s.whole())
		if err != nil || cached == 0 {
			return err
		}
		// Dirty pages and pages with I/O in progress stay. Try again after a sync.
		if err := s.sync(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s does not leave the page cache", s.Name)
}

func (s *subject) sync() error {
	f, err := os.OpenFile(s.Name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// onlyCached makes the page cache hold exactly these ranges of the file, which must be in ascending
// order. It reads them in order, so that they are cached as in a warm file, and drops what the kernel
// read ahead beyond them.
func (s *subject) onlyCached(ranges []source.Range) error {
	if err := s.cold(); err != nil {
		return err
	}
	var want int64
	for _, r := range ranges {
		if err := readRange(s.OS(), r); err != nil {
			return err
		}
		want += r.Len()
	}
	for try := 0; ; try++ {
		end := int64(0)
		for _, r := range append(ranges[:len(ranges):len(ranges)], source.Range{Off: s.Bytes}) {
			if err := s.Drop(source.Range{Off: end, End: r.Off}); err != nil {
				return err
			}
			end = r.End
		}
		cached, err := s.CachedBytes(s.whole())
		if err != nil || cached >= want*99/100 && cached <= want*101/100 {
			return err
		}
		if try == 20 {
			return fmt.Errorf("%s has %d bytes in the page cache, want %d", s.Name, cached, want)
		}
		time.Sleep(10 * time.Millisecond) // pages that are still being read cannot be dropped
	}
}

// readRange reads a range of f and discards it.
func readRange(f *os.File, r source.Range) error {
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
