package zerocopy

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// An http.ResponseWriter of another package that has Write but no ReadFrom may only count the
// bytes, or compress them, or hash them; nothing shows which. So it is never bypassed: it gets
// every byte by its Write, and its own bookkeeping stays right.
//
//	NewResponseWriter   lends: maps the next pages of the file and passes them to Write
//	the other writer    counts len(p), or reads p, or writes something else
//	NewHandler          looks at what arrives: if it is the very memory that was lent, it sends these
//	                    bytes from the file, by sendfile; everything else it writes as it is
//
// As long as no one looks at the mapped pages, they are never loaded. Only a writer that has just
// passed on the memory it got is lent pages; so one that compresses gets ordinary buffers.

// loan is what a transfer has passed to a Write.
type loan struct {
	file *os.File
	off  int64  // of the file: where the memory begins
	mem  []byte // what was passed
	own  bool   // use the file's own offset, because net/http knows only that
	disk Semaphore

	mapped  bool  // mem is the file's: it may be sent instead
	arrived int64 // bytes of mem that came through as they were
	sent    Result
	ended   bool // the file was shorter than the memory
}

// contains reports whether p is a part of the memory of the loan, and where it begins.
func (l *loan) contains(p []byte) (at int64, ok bool) {
	if len(p) == 0 {
		return 0, false
	}
	at = int64(uintptr(unsafe.Pointer(&p[0])) - uintptr(unsafe.Pointer(&l.mem[0])))
	return at, at >= 0 && at+int64(len(p)) <= int64(len(l.mem))
}

// receive does with the part p of the memory what base's Write should do.
func (l *loan) receive(base *responseWriter, p []byte, at int64) (int, error) {
	if !l.mapped {
		n, err := writeHooked(base.request.Context(), base.hooks, base.inner, p)
		l.arrived += int64(max(n, 0))
		return n, err
	}
	var part io.Reader = l.file
	if !l.own {
		part = NewSection(l.file, l.off+at, int64(len(p)), l.disk)
	} else if _, err := l.file.Seek(l.off+at, io.SeekStart); err != nil {
		return 0, err
	}
	r, err := transferAll(base, &io.LimitedReader{R: part, N: int64(len(p))}, false)
	n := r.Total()
	l.arrived += n
	l.sent.add(r)
	if err == nil && n < int64(len(p)) {
		l.ended, err = true, io.ErrUnexpectedEOF
	}
	return int(n), err
}

// loans is the loan that a base expects. A writer may write from another goroutine while a loan is
// made, but not a lent slice: it may not keep that.
type loans struct{ current atomic.Pointer[loan] }

// basesMax bounds the search, in case an Unwrap returns its own writer.
const basesMax = 100

// baseOf returns the response of the next NewHandler below w.
func baseOf(w any) *responseWriter {
	for range basesMax {
		if own, ok := w.(interface{ response() *responseWriter }); ok && own.response().loans != nil {
			return own.response()
		}
		outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = outer.Unwrap()
	}
	return nil
}

// chooseLending decides on lending, if there is a base below the destination.
func (t *transfer) chooseLending() (v decision, ok bool) {
	_, isFile := t.file()
	base := baseOf(t.dst)
	if base == nil || !isFile || !kernelCopies {
		return v, false
	}
	v = decideCopy(base, t.src, false)
	if v.method == ByCopy && v.reason != reasonUnknownToHTTP {
		return copyBecause(v.reason, v.subject), true
	}
	t.base = base
	return decision{byLending, v.method, v.reason, v.subject}, true
}

// lend passes up to want bytes to the destination's Write: in a buffer, until the destination has
// passed on a buffer as it was, then in mapped pages.
func (t *transfer) lend(want int64) (moved, error) {
	file, _ := t.file()
	l := &loan{file: file, own: t.section == nil, mapped: t.forwards}
	defer t.base.loans.current.Store(nil)
	if !t.forwards {
		t.loan = l
		m, err := t.readWrite(want)
		t.forwards = m.out > 0 && l.arrived == m.out
		return m, err
	}
	var err error
	if l.own {
		l.off, err = file.Seek(0, io.SeekCurrent)
	} else {
		l.off, l.disk = t.section.off+t.section.pos, t.section.disk
	}
	if err == nil {
		l.mem, err = t.lent.pages(file, l.off, want)
	}
	if err != nil || len(l.mem) == 0 {
		// The file ends here, or cannot be mapped: reading shows which.
		t.forwards = false
		return t.lend(want)
	}
	return t.lendPages(l)
}

func (t *transfer) lendPages(l *loan) (moved, error) {
	t.base.loans.current.Store(l)
	n, err := writeFaulting(t.dst, l)
	m := moved{in: int64(n), out: int64(n), calls: 1, method: ByCopy}
	t.forwards = l.arrived == int64(len(l.mem))
	for method, bytes := range l.sent.Bytes {
		if bytes > 0 {
			m.method = Method(method)
		}
	}
	if l.ended {
		m.end, err = true, nil
	} else if err == nil && n < len(l.mem) {
		err = io.ErrShortWrite
	}
	if l.own {
		if _, seekErr := l.file.Seek(l.off+m.in, io.SeekStart); err == nil {
			err = seekErr
		}
	}
	return m, err
}

// writeFaulting writes the memory of a loan. If the file becomes shorter while the destination
// looks at a mapped page, the processor faults; that is then an error and not the end of the program.
func writeFaulting(w io.Writer, l *loan) (n int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		cause := recover()
		if cause == nil {
			n = min(max(n, 0), len(l.mem))
			return
		}
		fault, ok := cause.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !ok || fault.Addr()-uintptr(unsafe.Pointer(&l.mem[0])) >= uintptr(len(l.mem)) {
			panic(cause)
		}
		n = int(l.arrived)
		err = fmt.Errorf("read mapped pages of %s at %d: %w", l.file.Name(), l.off, io.ErrUnexpectedEOF)
	}()
	return w.Write(l.mem)
}
