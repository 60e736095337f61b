//go:build unix

package source

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/thresh-dev/thresh/failure"
	"golang.org/x/sys/unix"
)

func (f *File) mapPart(r Range) (*Part, error) {
	if f.f == nil {
		return nil, errNoFile
	}
	base := r.Off / int64(os.Getpagesize()) * int64(os.Getpagesize())
	m, err := unix.Mmap(f.FD(), base, int(r.End-base), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	text := m[r.Off-base:]
	n := f.readable(text, r)
	if n == 0 {
		return nil, errors.Join(failure.ErrShrank, unix.Munmap(m))
	}
	return &Part{mapping: m, text: text[:n], cut: n < len(text)}, nil
}

// readable returns how many bytes of a mapped range can be read. It reads a byte of each page. If
// the file shrank, the rest of its last page reads as zeros and later pages fault, so readable also
// checks the size.
func (f *File) readable(text []byte, r Range) (n int) {
	if info, err := f.f.Stat(); err == nil && info.Mode().IsRegular() {
		text = text[:max(min(int64(len(text)), info.Size()-r.Off), 0)]
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case fault:
			n = max(int(offset(text, cause)), 0)
		default:
			panic(cause)
		}
	}()
	for i := 0; i < len(text); i += os.Getpagesize() {
		_ = touch(&text[i])
	}
	if len(text) > 0 {
		_ = touch(&text[len(text)-1])
	}
	return len(text)
}

// touch reads a byte. It is not inlined, so that the compiler does not remove the read.
//
//go:noinline
func touch(b *byte) byte { return *b }

// fault is the panic value of a read of unmapped memory.
type fault interface {
	runtime.Error
	Addr() uintptr
}

// offset returns the offset of a fault in the text, negative if the fault was before the text.
func offset(text []byte, cause fault) int64 {
	return int64(cause.Addr()) - int64(uintptr(unsafe.Pointer(unsafe.SliceData(text))))
}

// Use calls visit with the bytes and unmaps them. If visit reads a byte that has become unreadable,
// visit is aborted, and Use returns failure.ErrShrank and the offset of the byte.
func (p *Part) Use(visit func(text []byte)) (read int64, err error) {
	if p.mapping == nil {
		visit(p.text)
		return 0, nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = errors.Join(err, unix.Munmap(p.mapping)) }()
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case fault:
			// A read of a whole word may begin before the text.
			if at := offset(p.mapping, cause); at < 0 || at >= int64(len(p.mapping)) {
				panic(cause)
			}
			read, err = max(offset(p.text, cause), 0), failure.ErrShrank
		default:
			panic(cause)
		}
	}()
	visit(p.text)
	return 0, nil
}

func ignoringEINTR[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}
