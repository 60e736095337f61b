package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
)

// errLost reports that a part of a file left the page cache, or came into it, when it should not.
var errLost = errors.New("the page cache did not keep the state")

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
		return f.keepWarm(func() error { return errors.Join(dropIfCan(f.path), readInOrder(f.path)) })
	case lab.Pieces:
		return f.keepWarm(func() error { return writePieces(f.path, original) })
	}
	return nil
}

// check returns errLost if a run that has just ended may have read from the disk what should be warm.
func (f *file) check() error {
	if f.state != lab.Warm && f.state != lab.Pieces {
		return nil
	}
	return resident(f.path, f.bytes)
}

// keepWarm calls lay unless the file was laid before and stayed. It counts the faults of a mapping once.
func (f *file) keepWarm(lay func() error) error {
	for range 3 {
		if f.laid && resident(f.path, f.bytes) == nil {
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
	return fmt.Errorf("%s does not stay in the page cache; try a smaller --size", f.path)
}

// remove removes what only this state needs.
func (f *file) remove() error {
	if f.state == lab.Pieces {
		return remove(f.path)
	}
	return nil
}

// residentBytes returns how many bytes of a file are in the page cache.
func residentBytes(path string) (int64, error) {
	f, err := source.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() // nothing was written
	return f.CachedBytes(source.Range{Off: 0, End: f.Bytes})
}

// resident returns errLost unless all of a file is in the page cache. Where the system does not tell, it
// is taken to be.
func resident(path string, bytes int64) error {
	cached, err := residentBytes(path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err == nil && cached < bytes:
		return fmt.Errorf("%s: %w: %d of %d bytes are in it", path, errLost, cached, bytes)
	}
	return err
}

// drop removes a file from the page cache.
func drop(path string) error {
	f, err := source.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	whole := source.Range{Off: 0, End: f.Bytes}
	for try := range 20 {
		if err := f.Drop(whole); err != nil {
			return err
		}
		cached, err := f.CachedBytes(whole)
		if err != nil || cached == 0 {
			return err
		}
		if try == 0 { // pages that are dirty, or being read ahead, stay
			if err := sync(path); err != nil {
				return err
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%s: %w: it does not leave it", path, errLost)
}

// dropIfCan is drop where the system can do that.
func dropIfCan(path string) error {
	if err := drop(path); !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, errLost) {
		return err
	}
	return nil // a file in memory stays, in the folios that it was written in
}

func sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// readInOrder reads a file in large pieces from its beginning: the kernel reads ahead into large folios.
func readInOrder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return errors.Join(err, f.Close())
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
