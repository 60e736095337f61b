package zerocopy

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"reflect"
	"runtime"
	"strings"
)

// way is what does the work of a transfer.
type way uint8

const (
	byLoop     way = iota // Read and Write
	bySendfile            // our sendfile
	bySplice              // our splice
	byRange               // our copy_file_range
	byReadFrom            // the destination's ReadFrom
	byWriteTo             // the source's WriteTo, which unfolds it
)

// verdict is a way, the method that the bytes then go by, and why there is no better one: a
// format, and what it is about. Only Path makes words of it.
type verdict struct {
	way    way
	method Method
	why    string
	about  any
}

func copies(why string, about any) verdict { return verdict{byLoop, ByCopy, why, about} }

// Reasons, with what to do. %T and %v is what stands in the way.
const (
	whyReader = "the reader is a %T, which hides what it reads from: give it a WriteTo that forwards, " +
		"or make it a hook of zerocopy.NewReader"
	whyWriter = "the writer is a %T, which hides what it writes to: give it a ReadFrom that forwards, " +
		"or make it a hook of zerocopy.NewWriter, NewConn or NewResponseWriter"
	whyOverride   = "the %T has a method of its own that a faster one, promoted from a field, would go round"
	whyPacket     = "the connection carries datagrams, not a stream (%T)"
	whyNotRegular = "%v is no regular file: the kernel sends from and to regular files only"
	whyEmpty      = "%v is empty, or has bytes for read alone, as files of /proc have"
	whyAppend     = "%v was opened with O_APPEND, where the kernel neither splices nor copies: open it without, and seek"
	whySystem     = "on %v copies go through memory: the calls used here are those of Linux"
)

// choose finds the way between the two peeled ends.
func (t *transfer) choose(unfold bool) verdict {
	v := t.route()
	if v.way != byLoop {
		return v
	}
	if wt, ok := t.src.(io.WriterTo); ok && unfold && t.unfolds(wt) {
		return verdict{byWriteTo, ByCopy, whyUnknown, t.src}
	}
	if rf, ok := t.dst.(io.ReaderFrom); ok && len(t.layers) == 0 && t.strange(rf) {
		return verdict{byReadFrom, ByCopy, v.why, v.about}
	}
	return v
}

// unfolds reports whether the source may be asked to write itself: nothing may limit it, and
// it may be no end that this package knows how to read.
func (t *transfer) unfolds(wt io.WriterTo) bool {
	if len(t.limits) > 0 || t.section != nil {
		return false
	}
	switch wt.(type) {
	case *os.File, *net.TCPConn:
		return false
	}
	return !readsAround(t.src)
}

// strange reports whether both ends are unknown here, so that the destination may know more
// of the source than this package does.
func (t *transfer) strange(rf io.ReaderFrom) bool {
	switch rf.(type) {
	case *os.File, *net.TCPConn:
		return false
	}
	_, isFile := t.file()
	return !isFile && !stream(t.src) && !writesAround(t.dst)
}

// route is the table of the fast paths.
func (t *transfer) route() verdict {
	file, isFile := t.file()
	if !kernel {
		return copies(whySystem, runtime.GOOS)
	}
	if !isFile && !stream(t.src) {
		return copies(whyReader, t.src)
	}
	if isFile && t.look {
		if v, refused := refuses(file); refused {
			return v
		}
	}
	switch dst := t.dst.(type) {
	case *net.TCPConn, *net.UnixConn:
		switch {
		case !stream(dst):
			return copies(whyPacket, dst)
		case isFile:
			return verdict{way: bySendfile, method: BySendfile}
		}
		return verdict{way: bySplice, method: BySplice}
	case *os.File:
		switch {
		case !stateOf(dst).regular:
			return copies(whyNotRegular, nameOf(dst))
		case appends(dst):
			return copies(whyAppend, nameOf(dst))
		case isFile:
			return verdict{way: byRange, method: ByCopyFileRange}
		}
		return verdict{way: byReadFrom, method: BySplice}
	case *tls.Conn:
		return copies(whyTLS, nil)
	case io.ReaderFrom:
		if writesAround(dst) {
			return copies(whyOverride, dst)
		}
		v := received(t.dst, t.src)
		if v.method == ByCopy && v.why != whyUnknown && len(t.layers) > 0 {
			return copies(v.why, v.about) // hooks see more of a loop
		}
		return verdict{byReadFrom, v.method, v.why, v.about}
	}
	return copies(whyWriter, t.dst)
}

// file returns the file that the source is, if it is one. A file that is only thought of, by
// Path, is nil.
func (t *transfer) file() (f *os.File, ok bool) {
	if t.section != nil {
		return t.section.file, true
	}
	f, ok = t.src.(*os.File)
	return f, ok
}

// refuses says why the kernel would not send from f.
func refuses(f *os.File) (verdict, bool) {
	switch s := stateOf(f); {
	case !s.regular:
		return copies(whyNotRegular, nameOf(f)), true
	case s.empty:
		return copies(whyEmpty, nameOf(f)), true
	}
	return verdict{}, false
}

// stream reports whether end is a connection that the kernel can splice.
func stream(end any) bool {
	switch c := end.(type) {
	case *net.TCPConn:
		return true
	case *net.UnixConn:
		if c == nil {
			return true // only thought of, by Path
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

// readsAround reports whether end has a Read of its own but a WriteTo that belongs to
// something embedded, which knows nothing of that Read.
func readsAround(end any) bool {
	typ := reflect.TypeOf(end)
	fast, ok := typ.MethodByName("WriteTo") // by constant names: others would keep every method in the binary
	plain, _ := typ.MethodByName("Read")
	return ok && embeds(typ) && promoted(fast) && !promoted(plain)
}

// writesAround is readsAround for ReadFrom and Write.
func writesAround(end any) bool {
	typ := reflect.TypeOf(end)
	fast, ok := typ.MethodByName("ReadFrom")
	plain, _ := typ.MethodByName("Write")
	return ok && embeds(typ) && promoted(fast) && !promoted(plain)
}

func embeds(typ reflect.Type) bool {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return false
	}
	for i := range typ.NumField() {
		if typ.Field(i).Anonymous {
			return true
		}
	}
	return false
}

// promoted reports whether the compiler wrote the method, to call that of an embedded field.
func promoted(m reflect.Method) bool {
	if !m.Func.IsValid() {
		return false
	}
	f := runtime.FuncForPC(m.Func.Pointer())
	if f == nil {
		return false
	}
	file, _ := f.FileLine(f.Entry())
	return strings.HasPrefix(file, "<autogenerated>")
}
