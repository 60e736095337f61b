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
		return nil, errors.Join(ErrShrank, unix.Munmap(m))
	}
	return &Part{mapping: m, text: text[:n], cut: n < len(text)}, nil
}

// readable returns how much of a mapped range is there: behind the end of a file that shrank
// there are zeros up to the next page, and then nothing. It looks at each page.
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

// touch reads a byte, which the compiler must not leave out.
//
//go:noinline
func touch(b *byte) byte { return *b }

// fault is what a read of memory that is not there panics with.
type fault interface {
	runtime.Error
	Addr() uintptr
}

// offset returns where in the text a fault happened, below 0 if before it.
func offset(text []byte, cause fault) int64 {
	return int64(cause.Addr()) - int64(uintptr(unsafe.Pointer(unsafe.SliceData(text))))
}

// Use calls visit with the bytes and unmaps them. Where the mapping cannot be read, visit is
// left there, and Use returns the error and how many bytes could be read.
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
			// A word may be read that begins before the text.
			if at := offset(p.mapping, cause); at < 0 || at >= int64(len(p.mapping)) {
				panic(cause)
			}
			read, err = max(offset(p.text, cause), 0), ErrShrank
		default:
			panic(cause)
		}
	}()
	visit(p.text)
	return 0, nil
}
