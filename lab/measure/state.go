package measure

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// page is the size of the pieces in which a file is written that shall lie in single pages.
const page = 4 << 10

// file is an input in a state of the page cache.
type file struct {
	path  string // of the file that variants read: for Pieces a copy of the input
	state lab.State
	bytes int64
	laid  bool // the bytes came into the page cache as the state says
	// faults is how many faults a mapping takes per GiB, 0 if that was not counted.
	faults float64
}

// newFile returns an input in a state; prepare establishes it. skipped says why that is impossible here.
func newFile(in input, state lab.State) (f *file, skipped string) {
	f = &file{path: in.path, state: state, bytes: in.bytes}
	if state == lab.Pieces {
		f.path += ".pieces"
	}
	if state != lab.Cold && state != lab.Pieces {
		return f, ""
	}
	if _, err := residentBytes(in.path); errors.Is(err, errors.ErrUnsupported) {
		return nil, "this system does not tell what is in the page cache"
	}
	if fs := machine.FileSystem(in.path); state == lab.Cold && machine.InMemory(fs) {
		return nil, fmt.Sprintf("%s is in memory (%s): nothing there can be cold", in.path, fs)
	}
	return f, ""
}

// prepare establishes the state, and verifies it.
func (f *file) prepare(original string) error {
	switch f.state {
	case lab.Cold:
		return drop(f.path)
	case lab.Warm:
		return f.keepWarm(func() error { return layWarm(f.path) })
	case lab.Pieces:
		return f.keepWarm(func() error { return writePieces(f.path, original) })
	}
	return nil
}

// check returns pagecache.ErrLost if a run that has just ended may have read from the disk what should be warm.
func (f *file) check() error {
	if f.state != lab.Warm && f.state != lab.Pieces {
		return nil
	}
	return resident(f.path)
}

// keepWarm calls lay unless the file was laid before and stayed. It counts the faults of a mapping once.
func (f *file) keepWarm(lay func() error) error {
	for range 3 {
		if f.laid && resident(f.path) == nil {
			return nil
		}
		if err := lay(); err != nil {
			return err
		}
		f.laid = true
		faults, err := touchFaults(f.path)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		f.faults = faults * (1 << 30) / float64(max(1, f.bytes))
	}
	return fmt.Errorf("%s: %w; try a smaller --size", f.path, pagecache.ErrLost)
}

// remove removes what only this state needs.
func (f *file) remove() error {
	if f.state == lab.Pieces {
		return remove(f.path)
	}
	return nil
}

// residentBytes returns how many bytes of a file are in the page cache.
func residentBytes(path string) (n int64, err error) {
	err = pagecache.With(path, func(f *pagecache.File) (err error) {
		n, err = f.CachedBytes(f.Whole())
		return err
	})
	return n, err
}

func resident(path string) error { return pagecache.With(path, (*pagecache.File).StillWarm) }

func drop(path string) error { return pagecache.With(path, (*pagecache.File).Cold) }

// layWarm drops a file, where the system can do that, and reads it in order. A file in memory stays, in the
// folios that it was written in.
func layWarm(path string) error {
	return pagecache.With(path, func(f *pagecache.File) error {
		if err := f.Cold(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, pagecache.ErrLost) {
			return err
		}
		return pagecache.ReadRange(f.OS(), f.Whole())
	})
}

// writePieces writes a copy of a file, a page with each call: each page then is a folio of its own.
func writePieces(path, original string) error {
	from, err := os.Open(original)
	if err != nil {
		return err
	}
	defer from.Close() // nothing was written
	if err := remove(path); err != nil {
		return err
	}
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, page))
	return errors.Join(err, to.Sync(), to.Close())
}
