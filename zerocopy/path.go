package zerocopy

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
)

// Route is the path that a copy would take.
type Route struct {
	Method Method
	Reason string // why there is no better one, or a caveat; empty if there is nothing to add
}

// Path returns the path that io.Copy(dst, src) would take, without moving a byte. If dst or src has
// a type of this package, the answer is the choice of its own ReadFrom or WriteTo; for types of the
// standard library it is theirs. Path cannot know what a WriteTo or ReadFrom of another package
// does: the Reason then says so, and Method is the likely one.
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
	v := t.choose(allowWriteTo)
	if v.strategy == byWriteTo {
		if inner, ok := innerOf[io.Reader](t.src); ok {
			part := decideCopy(t.dst, inner, false)
			return decision{v.strategy, part.method, reasonWriteTo, t.src}
		}
	}
	return v
}

// decideIOCopy follows io.Copy: the source's WriteTo, else the destination's ReadFrom, else a loop.
func decideIOCopy(dst io.Writer, src io.Reader) decision {
	switch s := src.(type) {
	case *Reader, *ReadSeeker, *Conn, *Section:
		return decideCopy(dst, src, true)
	case *os.File:
		if stream(dst) || bypassed[net.Conn](dst) {
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
	inner, ok := innerOf[io.Reader](src)
	if !ok {
		return copyBecause(reasonUnknown, src)
	}
	v := decideIOCopy(dst, inner)
	switch {
	case bypassesRead(src):
		v.reason, v.subject = bypassedReason(), src
	case v.reason == "" && !forwardsUnchanged(src):
		v.reason, v.subject = reasonWriteTo, src
	}
	return v
}

// forwardsUnchanged reports whether the WriteTo of src is known to pass on the inner reader itself.
func forwardsUnchanged(src io.Reader) bool {
	b, ok := src.(*bufio.Reader)
	return ok && b != nil && b.Buffered() == 0 || strings.HasPrefix(reflect.TypeOf(src).String(), layout.nopCloser)
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
		if inner, ok := innerOf[io.Writer](d); ok && d != nil {
			if d.Buffered() > 0 {
				return copyBecause(reasonBuffered, nil)
			}
			if _, ok := inner.(io.ReaderFrom); ok {
				return decideReadFrom(inner, src)
			}
		}
		return copyBecause(writerReason(dst), dst)
	case http.ResponseWriter:
		if v, known := decideResponseReadFrom(d, src); known {
			return v
		}
	}
	if _, ok := dst.(io.ReaderFrom); !ok {
		return copyBecause(writerReason(dst), dst)
	}
	inner, ok := innerOf[io.Writer](dst)
	if !ok {
		return copyBecause(reasonUnknown, dst)
	}
	v := decideReadFrom(inner, src)
	switch {
	case bypassesWrite(dst):
		v.reason, v.subject = bypassedReason(), dst
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
		if bypassed[*os.File](s) {
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

// decideResponseReadFrom predicts the ReadFrom of net/http's response types, which it recognizes by
// name and shape.
func decideResponseReadFrom(w http.ResponseWriter, src io.Reader) (v decision, known bool) {
	name := strings.TrimPrefix(reflect.TypeOf(w).String(), "*")
	for _, prefix := range layout.http2Prefixes {
		if strings.HasPrefix(name, prefix) {
			return copyBecause(reasonHTTP2, nil), true
		}
	}
	_, reads := w.(io.ReaderFrom)
	path, _ := packageOf(w)
	switch {
	case name == layout.timeoutWriter:
		return copyBecause(reasonTimeoutHandler, nil), true
	case reads && path == "net/http" && (name != layout.response || !knownResponse(w)):
		return copyBecause(reasonLayout, w), true
	case name != layout.response:
		return decision{}, false
	}
	res := reflect.ValueOf(w)
	rwc := field(res, layout.conn, layout.rwc)
	if !rwc.IsValid() { // a placeholder
		return decision{}, false
	}
	conn, _ := placeholder(rwc).(io.Writer)
	if _, secure := conn.(*tls.Conn); secure {
		return copyBecause(reasonTLS, nil), true
	}
	if _, ok := conn.(io.ReaderFrom); !ok {
		if _, unix := conn.(*net.UnixConn); unix {
			return copyBecause(reasonConnUnix, conn), true
		}
		return copyBecause(reasonConn, conn), true
	}
	if m := field(res, layout.request, layout.method); m.IsValid() && m.String() == http.MethodHead {
		return copyBecause(reasonNoBody, nil), true
	}
	minor := field(res, layout.request, layout.version)
	old := minor.IsValid() && minor.CanInt() && minor.Int() == 0
	limited := w.Header().Get("Content-Length") != ""
	if !limited && !old {
		return copyBecause(reasonChunked, nil), true
	}
	if _, ok := src.(*io.LimitedReader); !ok && limited {
		src = &io.LimitedReader{R: src, N: 1}
	}
	v = decideReadFrom(conn, src)
	if v.reason == reasonSection || v.reason == reasonUnknownToStd {
		v.reason, v.subject = reasonUnknownToHTTP, unwrapLimit(src)
	}
	return v, true
}
