package zerocopy

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"runtime"
)

// strategy says which code moves the bytes.
type strategy uint8

const (
	byReadWrite strategy = iota // Read and Write
	bySendfile                  // our sendfile
	bySplice                    // our splice
	byRange                     // our copy_file_range
	byReadFrom                  // the destination's ReadFrom
	byWriteTo                   // the source's WriteTo, which writes its parts to us
	byLending                   // the destination's Write, and sendfile below it: see lend.go
)

// decision is a strategy, the method by which the bytes then go, and why there is no better one: a
// format string and its argument. Only Path formats it.
type decision struct {
	strategy strategy
	method   Method
	reason   string
	subject  any
}

func copyBecause(reason string, subject any) decision {
	return decision{byReadWrite, ByCopy, reason, subject}
}

// choose finds the strategy for the two unwrapped ends.
func (t *transfer) choose(allowWriteTo bool) decision {
	v := t.fastPath()
	if v.strategy != byReadWrite {
		return v
	}
	if wt, ok := t.src.(io.WriterTo); ok && allowWriteTo && t.mayUseWriteTo(wt) {
		return decision{byWriteTo, ByCopy, reasonUnknown, t.src}
	}
	if rf, ok := t.dst.(io.ReaderFrom); ok && len(t.layers) == 0 && t.mayUseReadFrom(rf) {
		return decision{byReadFrom, ByCopy, v.reason, v.subject}
	}
	return v
}

// mayUseWriteTo reports whether the source may write itself: it must not be limited, and it must
// not be a type that this package reads by itself.
func (t *transfer) mayUseWriteTo(wt io.WriterTo) bool {
	if len(t.limits) > 0 || t.section != nil {
		return false
	}
	switch wt.(type) {
	case *os.File, *net.TCPConn:
		return false
	}
	return !mayBypass[io.WriterTo](t.src)
}

// mayUseReadFrom reports whether both ends are of unknown types, so that the destination may know
// more about the source than this package does.
func (t *transfer) mayUseReadFrom(rf io.ReaderFrom) bool {
	switch rf.(type) {
	case *os.File, *net.TCPConn:
		return false
	}
	_, isFile := t.file()
	return !isFile && !stream(t.src) && !mayBypass[io.ReaderFrom](t.dst)
}

// fastPath is the table of the fast paths.
func (t *transfer) fastPath() decision {
	file, isFile := t.file()
	if !kernelCopies {
		return copyBecause(reasonOS, runtime.GOOS)
	}
	if !isFile && !stream(t.src) {
		return copyBecause(readerReason(t.src), t.src)
	}
	if isFile && t.dryRun {
		if v, refused := notSendable(file); refused {
			return v
		}
	}
	switch dst := t.dst.(type) {
	case *net.TCPConn, *net.UnixConn:
		switch {
		case !stream(dst):
			return copyBecause(reasonDatagram, dst)
		case isFile:
			return decision{strategy: bySendfile, method: BySendfile}
		}
		return decision{strategy: bySplice, method: BySplice}
	case *os.File:
		switch {
		case !stateOf(dst).regular:
			return copyBecause(reasonNotRegular, nameOf(dst))
		case appendOnly(dst):
			return copyBecause(reasonAppend, nameOf(dst))
		case isFile:
			return decision{strategy: byRange, method: ByCopyFileRange}
		}
		return decision{strategy: byReadFrom, method: BySplice}
	case *tls.Conn:
		return copyBecause(reasonTLS, nil)
	case io.ReaderFrom:
		if mayBypass[io.ReaderFrom](dst) {
			if v, ok := t.chooseLending(); ok {
				return v
			}
			return copyBecause(reasonOverride, dst)
		}
		v := decideReadFrom(t.dst, t.src)
		switch why := t.responseReason(); {
		case why != "":
			v = copyBecause(why, nil)
		case t.request != nil && v.reason == reasonChunked: // not in HTTP/1.0
			v = decideForwarding(t.dst, t.src)
		}
		if v.method == ByCopy || v.reason == reasonReadFrom { // lending is certain to be counted
			if lending, ok := t.chooseLending(); ok && lending.method != ByCopy {
				return lending
			}
		}
		if v.method == ByCopy && v.reason != reasonUnknown && v.reason != reasonUnknownToHTTP && len(t.layers) > 0 {
			return copyBecause(v.reason, v.subject) // our own loop shows the hooks more steps
		}
		return decision{byReadFrom, v.method, v.reason, v.subject}
	}
	if v, ok := t.chooseLending(); ok {
		return v
	}
	return copyBecause(writerReason(t.dst), t.dst)
}

// file returns the file that the source reads, if any. Path may pass a nil *os.File.
func (t *transfer) file() (f *os.File, ok bool) {
	if t.section != nil {
		return t.section.file, true
	}
	f, ok = t.src.(*os.File)
	return f, ok
}

// notSendable says why the kernel would not send from f.
func notSendable(f *os.File) (decision, bool) {
	switch s := stateOf(f); {
	case !s.regular:
		return copyBecause(reasonNotRegular, nameOf(f)), true
	case s.empty:
		return copyBecause(reasonEmpty, nameOf(f)), true
	}
	return decision{}, false
}

// stream reports whether end is a connection that the kernel can splice.
func stream(end any) bool {
	switch c := end.(type) {
	case *net.TCPConn:
		return true
	case *net.UnixConn:
		if c == nil {
			return true // Path was asked about the type only
		}
		addr, ok := c.LocalAddr().(*net.UnixAddr)
		return !ok || addr.Net == "unix"
	}
	return false
}

func nameOf(f *os.File) string {
	if f == nil {
		return "the file"
	}
	return f.Name()
}
