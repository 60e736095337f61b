package zerocopy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Route is the path that a copy would take.
type Route struct {
	Method Method
	Reason string // why there is no better one, or a caveat; empty if there is nothing to add
}

// Path returns the path that io.Copy(dst, src) would take, without moving a byte. If dst or src has
// a type of this package, the answer is the choice of its own ReadFrom or WriteTo; for files and
// connections it is theirs. Path cannot look into other types. Where it depends on a WriteTo or
// ReadFrom of theirs, the Reason begins with "it depends on", and Method is ByCopy for a WriteTo, and
// for a ReadFrom the way to a TCP connection. An http.ResponseWriter does not show its request: ask
// about a NewResponseWriter of it, which knows about TLS, HTTP/2, HTTP/1.0 and HEAD.
func Path(dst io.Writer, src io.Reader) Route {
	requireEnds("Path", dst, src)
	return decideIOCopy(dst, src).route()
}

// CopyPath returns the path that Copy(dst, src) would take, without moving a byte.
func CopyPath(dst io.Writer, src io.Reader) Route {
	requireEnds("CopyPath", dst, src)
	return decideCopy(dst, src, true).route()
}

func (v decision) route() Route {
	if v.reason == "" {
		return Route{Method: v.method}
	}
	if !strings.Contains(v.reason, "%") {
		return Route{v.method, v.reason}
	}
	return Route{v.method, fmt.Sprintf(v.reason, v.subject)}
}

// decideCopy is the decision of this package's own code.
func decideCopy(dst io.Writer, src io.Reader, allowWriteTo bool) decision {
	t := newTransfer(dst, src)
	defer t.release()
	t.dryRun = true
	return t.choose(allowWriteTo)
}

// decideIOCopy follows io.Copy: the source's WriteTo, else the destination's ReadFrom, else a loop.
func decideIOCopy(dst io.Writer, src io.Reader) decision {
	switch s := src.(type) {
	case *Reader, *ReadSeeker, *Conn, *Section:
		return decideCopy(dst, src, true)
	case *os.File:
		_, bypasses := embedded(dst).(net.Conn)
		if stream(dst) || bypasses {
			return decideFileWriteTo(dst, s)
		}
		return decideReadFrom(dst, src)
	case *net.TCPConn:
		if _, unix := dst.(*net.UnixConn); unix && stream(dst) {
			return decision{bySplice, BySplice, "", nil}
		}
		return decideReadFrom(dst, src)
	}
	if _, ok := src.(io.WriterTo); !ok {
		return decideReadFrom(dst, src)
	}
	if inner, ok := embedded(src).(io.Reader); ok { // its WriteTo is likely to be that of src
		v := decideIOCopy(dst, inner)
		v.reason, v.subject = reasonBypassed, src
		return v
	}
	return copyBecause(reasonUnknown, src)
}

// decideReadFrom predicts what the ReadFrom of dst does with src.
func decideReadFrom(dst io.Writer, src io.Reader) decision {
	switch d := dst.(type) {
	case *Conn, *Writer, interface{ response() *responseWriter }:
		return decideCopy(dst, src, false)
	case *net.TCPConn:
		return decideTCPReadFrom(src)
	case *os.File:
		return decideFileReadFrom(d, src)
	case *net.UnixConn:
		return copyBecause(reasonUnix, src)
	case *bufio.Writer:
		if d != nil && d.Buffered() > 0 {
			return copyBecause(reasonBuffered, nil)
		}
	}
	_, reads := dst.(io.ReaderFrom)
	if _, buffers := dst.(*bufio.Writer); !reads || !buffers && slices.Contains(inMemory, packageOf(dst)) {
		return copyBecause(writerReason(dst), dst)
	}
	if w, responds := dst.(http.ResponseWriter); responds && w.Header().Get("Content-Length") == "" {
		return copyBecause(reasonChunked, nil)
	}
	return decideForwarding(dst, src)
}

// decideForwarding predicts what an unknown ReadFrom does: likely it passes src on to a connection.
func decideForwarding(dst io.Writer, src io.Reader) decision {
	v := decideTCPReadFrom(src)
	_, responds := dst.(http.ResponseWriter)
	switch {
	case responds && (v.reason == reasonSection || v.reason == reasonUnknownToStd):
		v.reason, v.subject = reasonUnknownToHTTP, unwrapLimit(src)
	case mayBypass[io.ReaderFrom](dst):
		v.reason, v.subject = reasonBypassed, dst
	case v.reason == "":
		v.reason, v.subject = reasonReadFrom, dst
	}
	return v
}

// unwrapLimit removes the one limit that the standard library looks through, and the structs in
// which it hides methods.
func unwrapLimit(src io.Reader) io.Reader {
	if l, ok := src.(*io.LimitedReader); ok {
		src = l.R
	}
	if inner := unwrapStd(src); inner != nil {
		return inner.(io.Reader)
	}
	return src
}

// decideTCPReadFrom predicts (*net.TCPConn).ReadFrom.
func decideTCPReadFrom(src io.Reader) decision {
	switch s := unwrapLimit(src).(type) {
	case *net.TCPConn, *net.UnixConn:
		if stream(s) {
			return decision{bySplice, BySplice, "", nil}
		}
		return copyBecause(reasonDatagram, s)
	case *os.File:
		return decideFileWriteTo(nil, s)
	default:
		if _, bypasses := embedded(s).(*os.File); bypasses {
			return decision{bySendfile, BySendfile, reasonBypassed, s}
		}
		return copyReason(s)
	}
}

// decideFileReadFrom predicts (*os.File).ReadFrom.
func decideFileReadFrom(dst *os.File, src io.Reader) decision {
	d := stateOf(dst)
	if appendOnly(dst) {
		return copyBecause(reasonAppend, nameOf(dst))
	}
	switch s := unwrapLimit(src).(type) {
	case *net.TCPConn, *net.UnixConn:
		switch {
		case !stream(s):
			return copyBecause(reasonDatagram, s)
		case !d.regular:
			return decision{bySplice, BySplice, reasonPipe, nameOf(dst)}
		}
		return decision{bySplice, BySplice, "", nil}
	case *os.File:
		if !d.regular {
			return copyBecause(reasonNotRegular, nameOf(dst))
		}
		if v, refused := notSendable(s); refused {
			return v
		}
		return decision{byRange, ByCopyFileRange, "", nil}
	default:
		return copyReason(s)
	}
}

// copyReason says why the standard library copies from s through memory.
func copyReason(s io.Reader) decision {
	switch s.(type) {
	case *io.LimitedReader:
		return copyBecause(reasonNested, nil)
	case *io.SectionReader:
		return copyBecause(reasonSection, nil)
	case *Reader, *ReadSeeker, *Section, *Conn:
		return copyBecause(reasonUnknownToStd, s)
	}
	return copyBecause(readerReason(s), s)
}

// decideFileWriteTo predicts how the standard library sends f to dst; a nil dst means a TCP
// connection.
func decideFileWriteTo(dst io.Writer, f *os.File) decision {
	switch {
	case !kernelCopies:
		return copyBecause(reasonOS, runtime.GOOS)
	case dst != nil && !stream(dst):
		return decision{bySendfile, BySendfile, reasonBypassed, dst}
	}
	if v, refused := notSendable(f); refused {
		return v
	}
	return decision{strategy: bySendfile, method: BySendfile}
}
