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

func (f *File) mapPart(r Range) (*Part, error) {
	base := r.Off / int64(os.Getpagesize()) * int64(os.Getpagesize())
	m, err := unix.Mmap(f.FD(), base, int(r.End-base), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &Part{mapping: m, text: m[r.Off-base:]}, nil
}

// errShrank is why a mapped part could not be read to its end.
var errShrank = errors.New("the file shrank, or its storage failed, while it was read")

// Use calls visit with the bytes and unmaps them. Where the mapping cannot be read, visit is
// left there, and Use returns the error and how many bytes could be read.
func (p *Part) Use(visit func(text []byte)) (fault int64, err error) {
	if p.mapping == nil {
		visit(p.text)
		return 0, nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = errors.Join(err, unix.Munmap(p.mapping)) }()
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			at := cause.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(p.text)))
			if at >= uintptr(len(p.text)) {
				panic(cause)
			}
			fault, err = int64(at), errShrank
		default:
			panic(cause)
		}
	}()
	visit(p.text)
	return 0, nil
}
