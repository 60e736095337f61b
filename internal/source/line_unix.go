//go:build unix

package source

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

func (f *File) mapRange(r Range) (*Line, error) {
	base := r.Off / int64(os.Getpagesize()) * int64(os.Getpagesize())
	m, err := unix.Mmap(f.FD(), base, int(r.End-base), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &Line{mapping: m, text: m[r.Off-base:]}, nil
}

// errShrank is why a mapped line could not be read to its end.
var errShrank = errors.New("the file shrank, or its storage failed, while it was read")

// Use calls visit with the line and unmaps it. Where the mapping cannot be read, visit is
// left there, and Use returns the error and how many bytes of the line could be read.
func (l *Line) Use(visit func(text []byte)) (fault int64, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = errors.Join(err, unix.Munmap(l.mapping)) }()
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			at := cause.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(l.text)))
			if at >= uintptr(len(l.text)) {
				panic(cause)
			}
			fault, err = int64(at), errShrank
		default:
			panic(cause)
		}
	}()
	visit(l.text)
	return 0, nil
}
