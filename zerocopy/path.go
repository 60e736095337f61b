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
	Reason string // why no better one, or what to beware of; empty where there is nothing to say
}

// Path returns the path that io.Copy(dst, src) would take. It moves nothing. Where src or dst
// is of this package its own way is told, which is chosen by the code that copies; for the
// standard library's types, the library's. It cannot know what a WriteTo or ReadFrom of
// another package does: there it says so, and what is likely.
func Path(dst io.Writer, src io.Reader) Route { return copied(dst, src).route() }

// CopyPath returns the path that Copy(dst, src) would take.
func CopyPath(dst io.Writer, src io.Reader) Route { return chosen(dst, src, true).route() }

func (v verdict) route() Route {
	if v.why == "" {
		return Route{Method: v.method}
	}
	if !strings.Contains(v.why, "%") {
		return Route{v.method, v.why}
	}
	return Route{v.method, fmt.Sprintf(v.why, v.about)}
}

const (
	whyUnfold  = "it is up to the WriteTo of the %T; this is what its last part gets"
	whyForward = "it is up to the ReadFrom of the %T; this is what it gets if it forwards without another limit"
	whyUnknown = "it is up to a method of the %T: look at a transfer with zerocopytest"
	whyAround  = "the %T is gone round: what its own methods do is not done for these bytes"
	whyNested  = "two nested limits, of which the standard library looks through one: use zerocopy.Copy, " +
		"or lower the N of the limit that is there"
	whyForeign = "the standard library does not know the %T: use zerocopy.Copy, or let the destination " +
		"be a zerocopy.Conn, as those of zerocopy.NewListener are"
	whySection = "the standard library reads an io.SectionReader: use zerocopy.Copy, or a zerocopy.Section"
	whyUnix    = "a *net.UnixConn has no ReadFrom and %T no WriteTo that knows it: use zerocopy.Copy"
	whyPipe    = "%v is a pipe or terminal: while its reader stalls, this splice spins; zerocopy.Copy does not"
	whyBuffer  = "the bufio.Writer holds bytes: flush it first"
	whyTLS     = "TLS: the bytes are encrypted in memory"
	whyHTTP2   = "HTTP/2: frames are made in memory"
	whyTimeout = "http.TimeoutHandler holds the whole body in memory: set deadlines with " +
		"http.ResponseController, or use zerocopy.WriteTimeout"
	whyChunked = "no Content-Length: the body is chunked; set the header"
	whyHead    = "the answer has no body"
	whyConn    = "the server's connection is a %T without ReadFrom: make it a zerocopy.Conn, with zerocopy.NewListener"
)

// chosen is the verdict of this package's own code.
func chosen(dst io.Writer, src io.Reader, unfold bool) verdict {
	t := newTransfer(dst, src)
	defer t.release()
	t.look = true
	v := t.choose(unfold)
	if v.why == whyReader && readsAround(t.src) {
		v.why = whyOverride
	}
	if v.way == byWriteTo {
		if inner, ok := within[io.Reader](t.src); ok {
			part := chosen(t.dst, inner, false)
			return verdict{v.way, part.method, whyUnfold, t.src}
		}
	}
	return v
}

// copied is what io.Copy does: the source's WriteTo, else the destination's ReadFrom, else a
// loop.
func copied(dst io.Writer, src io.Reader) verdict {
	switch s := src.(type) {
	case *Reader, *ReadSeeker, *Conn, *Section:
		return chosen(dst, src, true)
	case *os.File:
		if stream(dst) || goneRound[net.Conn](dst) {
			return sent(dst, s)
		}
		return received(dst, src)
	case *net.TCPConn:
		if _, unix := dst.(*net.UnixConn); unix && stream(dst) {
			return verdict{bySplice, BySplice, "", nil}
		}
		return received(dst, src)
	}
	if _, ok := src.(io.WriterTo); !ok {
		return received(dst, src)
	}
	inner, ok := within[io.Reader](src)
	if !ok {
		return copies(whyUnknown, src)
	}
	v := copied(dst, inner)
	switch {
	case readsAround(src):
		v.why, v.about = whyAround, src
	case v.why == "" && !isPlain(src):
		v.why, v.about = whyUnfold, src
	}
	return v
}

// isPlain reports whether the WriteTo of src is known to hand the reader inside over.
func isPlain(src io.Reader) bool {
	b, ok := src.(*bufio.Reader)
	return ok && b != nil && b.Buffered() == 0 || strings.HasPrefix(reflect.TypeOf(src).String(), "io.nopCloser")
}

// received is what dst does with src when it is asked to read from it.
func received(dst io.Writer, src io.Reader) verdict {
	switch d := dst.(type) {
	case *Conn, *Writer, interface{ response() *responseWriter }:
		return chosen(dst, src, false)
	case *net.TCPConn:
		return ontoTCP(src)
	case *os.File:
		return ontoFile(d, src)
	case *net.UnixConn:
		return copies(whyUnix, src)
	case *bufio.Writer:
		if inner, ok := within[io.Writer](d); ok && d != nil {
			if d.Buffered() > 0 {
				return copies(whyBuffer, nil)
			}
			if _, ok := inner.(io.ReaderFrom); ok {
				return received(inner, src)
			}
		}
		return copies(whyWriter, dst)
	case http.ResponseWriter:
		if v, known := ontoResponse(d, src); known {
			return v
		}
	}
	if _, ok := dst.(io.ReaderFrom); !ok {
		return copies(whyWriter, dst)
	}
	inner, ok := within[io.Writer](dst)
	if !ok {
		return copies(whyUnknown, dst)
	}
	v := received(inner, src)
	switch {
	case writesAround(dst):
		v.why, v.about = whyAround, dst
	case v.why == "":
		v.why, v.about = whyForward, dst
	}
	return v
}

// unlimited looks through the one limit that the standard library looks through, and through
// the structs with which it hides methods.
func unlimited(src io.Reader) io.Reader {
	if l, ok := src.(*io.LimitedReader); ok {
		src = l.R
	}
	if inner := withoutFast(src); inner != nil {
		return inner.(io.Reader)
	}
	return src
}

// ontoTCP is (*net.TCPConn).ReadFrom.
func ontoTCP(src io.Reader) verdict {
	switch s := unlimited(src).(type) {
	case *net.TCPConn, *net.UnixConn:
		if stream(s) {
			return verdict{bySplice, BySplice, "", nil}
		}
		return copies(whyPacket, s)
	case *os.File:
		return sent(nil, s)
	default:
		if goneRound[*os.File](s) {
			return verdict{bySendfile, BySendfile, whyAround, s}
		}
		return slow(s)
	}
}

// ontoFile is (*os.File).ReadFrom.
func ontoFile(dst *os.File, src io.Reader) verdict {
	d := stateOf(dst)
	if appends(dst) {
		return copies(whyAppend, nameOf(dst))
	}
	switch s := unlimited(src).(type) {
	case *net.TCPConn, *net.UnixConn:
		switch {
		case !stream(s):
			return copies(whyPacket, s)
		case !d.regular:
			return verdict{bySplice, BySplice, whyPipe, nameOf(dst)}
		}
		return verdict{bySplice, BySplice, "", nil}
	case *os.File:
		if !d.regular {
			return copies(whyNotRegular, nameOf(dst))
		}
		if v, refused := refuses(s); refused {
			return v
		}
		return verdict{byRange, ByCopyFileRange, "", nil}
	default:
		return slow(s)
	}
}

// slow says why the standard library reads from s.
func slow(s io.Reader) verdict {
	switch s.(type) {
	case *io.LimitedReader:
		return copies(whyNested, nil)
	case *io.SectionReader:
		return copies(whySection, nil)
	case *Reader, *ReadSeeker, *Section, *Conn:
		return copies(whyForeign, s)
	}
	return copies(whyReader, s)
}

// sent is a file that the standard library sends to dst; nil is a TCP connection.
func sent(dst io.Writer, f *os.File) verdict {
	switch {
	case !kernel:
		return copies(whySystem, runtime.GOOS)
	case dst != nil && !stream(dst):
		return verdict{bySendfile, BySendfile, whyAround, dst}
	}
	if v, refused := refuses(f); refused {
		return v
	}
	return verdict{way: bySendfile, method: BySendfile}
}

// ontoResponse is the ReadFrom of net/http's own types, which are known by name and shape.
// What is not there, in another version of Go, is taken to be no obstacle.
func ontoResponse(w http.ResponseWriter, src io.Reader) (v verdict, known bool) {
	name := strings.TrimPrefix(reflect.TypeOf(w).String(), "*")
	switch {
	case strings.HasPrefix(name, "http.http2") || strings.HasPrefix(name, "http2."):
		return copies(whyHTTP2, nil), true
	case name == "http.timeoutWriter":
		return copies(whyTimeout, nil), true
	case name != "http.response":
		return verdict{}, false
	}
	res := reflect.ValueOf(w)
	rwc := field(res, "conn", "rwc")
	if !rwc.IsValid() { // a stand-in, or another version of Go
		return verdict{}, false
	}
	conn, _ := standIn(rwc).(io.Writer)
	if _, secure := conn.(*tls.Conn); secure {
		return copies(whyTLS, nil), true
	}
	if _, ok := conn.(io.ReaderFrom); !ok {
		return copies(whyConn, conn), true
	}
	if m := field(res, "req", "Method"); m.IsValid() && m.Kind() == reflect.String && m.String() == http.MethodHead {
		return copies(whyHead, nil), true
	}
	old := false
	if minor := field(res, "req", "ProtoMinor"); minor.IsValid() && minor.CanInt() {
		old = minor.Int() == 0
	}
	limited := w.Header().Get("Content-Length") != ""
	if !limited && !old {
		return copies(whyChunked, nil), true
	}
	if _, ok := src.(*io.LimitedReader); !ok && limited {
		src = &io.LimitedReader{R: src, N: 1}
	}
	return received(conn, src), true
}
