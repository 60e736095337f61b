package enginetest

import (
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// memoryBase is the address of Memory's mapping. It is also a valid file offset.
const memoryBase = 4 << 30

// Memory returns the file /proc/self/mem with content at offset base. Reads of the ranges in bad,
// which must be whole pages, return EIO: a read error without a broken disk.
func Memory(t *testing.T, content []byte, bad []source.Range) (f *source.File, base int64) {
	t.Helper()
	page := unix.Getpagesize()
	n := uintptr((len(content) + page - 1) / page * page)
	at, err := unix.MmapPtr(-1, 0, unsafe.Add(nil, memoryBase), n, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED_NOREPLACE)
	if err != nil {
		t.Fatal(err)
	}
	copy(unsafe.Slice((*byte)(at), len(content)), content)
	for _, b := range bad {
		err = errors.Join(err, unix.MunmapPtr(unsafe.Add(at, b.Off), uintptr(b.Len())))
	}
	f, openErr := source.Open("/proc/self/mem")
	if err := errors.Join(err, openErr); err != nil {
		t.Fatal(err)
	}
	// It says it is empty, and its first byte cannot be read: it would be taken for a stream.
	f.Kind, f.Bytes = source.Regular, int64(uintptr(at))+int64(len(content))
	t.Cleanup(func() {
		// It is no error that parts of the range are unmapped already.
		if err := errors.Join(f.Close(), unix.MunmapPtr(at, n)); err != nil {
			t.Error(err)
		}
	})
	return f, int64(uintptr(at))
}

// Shifted returns an engine whose offset 0 is offset base of e.
func Shifted(e engine.Engine, base int64) engine.Engine { return shifted{e, base} }

type shifted struct {
	engine.Engine
	base int64
}

func (s shifted) Reader() (engine.Reader, error) {
	r, err := s.Engine.Reader()
	return shiftedReader{r, s.base}, err
}

type shiftedReader struct {
	engine.Reader
	base int64
}

func (r shiftedReader) Run(next engine.Next, visit engine.Visit) error {
	return r.Reader.Run(func() (engine.Piece, bool) {
		p, ok := next()
		p.Off += r.base
		return p, ok
	}, func(p engine.Piece, b engine.Block, last bool) bool {
		p.Off -= r.base
		b.Off -= r.base
		if b.Err != nil {
			e := *b.Err
			e.Off -= r.base
			b.Err = &e
		}
		return visit(p, b, last)
	})
}
