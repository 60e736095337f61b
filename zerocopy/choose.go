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
type strategy uint8

const (
	byReadWrite strategy = iota // Read and Write
	bySendfile                  // our sendfile
	bySplice                    // our splice
	byRange                     // our copy_file_range
	byReadFrom                  // the destination's ReadFrom
	byWriteTo                   // the source's WriteTo, which unfolds it
)

// verdict is a way, the method that the bytes then go by, and why there is no better one: a
// format, and what it is about. Only Path makes words of it.
type decision struct {
	strategy strategy
	method   Method
	reason   string
	subject  any
}

func copyBecause(why string, about any) decision { return decision{byReadWrite, ByCopy, why, about} }

// Reasons, with what to do. %T and %v is what stands in the way.
const (
	reasonReader = "the reader is a %T, which hides what it reads from: give it a WriteTo that forwards, " +
		"or make it a hook of zerocopy.NewReader"
	reasonWriter = "the writer is a %T, which hides what it writes to: give it a ReadFrom that forwards, " +
		"or make it a hook of zerocopy.NewWriter, NewConn or NewResponseWriter"
	reasonOverride   = "the %T has a method of its own that a faster one, promoted from a field, would go round"
	reasonDatagram   = "the connection carries datagrams, not a stream (%T)"
	reasonNotRegular = "%v is no regular file: the kernel sends from and to regular files only"
	reasonEmpty      = "%v is empty, or has bytes for read alone, as files of /proc have"
	reasonAppend     = "%v was opened with O_APPEND, where the kernel neither splices nor copies: open it without, and seek"
	reasonOS         = "on %v copies go through memory: the calls used here are those of Linux"
)

// choose finds the way between the two peeled ends.
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

// unfolds reports whether the source may be asked to write itself: nothing may limit it, and
// it may be no end that this package knows how to read.
func (t *transfer) mayUseWriteTo(wt io.WriterTo) bool {
	if len(t.limits) > 0 || t.section != nil {
		return false
	}
	switch wt.(type) {
	case *os.File, *net.TCPConn:
		return false
	}
	return !bypassesRead(t.src)
}

// strange reports whether both ends are unknown here, so that the destination may know more
// of the source than this package does.
func (t *transfer) mayUseReadFrom(rf io.ReaderFrom) bool {
	switch rf.(type) {
	case *os.File, *net.TCPConn:
		return false
	}
	_, isFile := t.file()
	return !isFile && !stream(t.src) && !bypassesWrite(t.dst)
}

// route is the table of the fast paths.
func (t *transfer) fastPath() decision {
	file, isFile := t.file()
	if !kernelCopies {
		return copyBecause(reasonOS, runtime.GOOS)
	}
	if !isFile && !stream(t.src) {
		return copyBecause(reasonReader, t.src)
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
		if bypassesWrite(dst) {
			return copyBecause(reasonOverride, dst)
		}
		v := decideReadFrom(t.dst, t.src)
		if v.method == ByCopy && v.reason != reasonUnknown && len(t.layers) > 0 {
			return copyBecause(v.reason, v.subject) // hooks see more of a loop
		}
		return decision{byReadFrom, v.method, v.reason, v.subject}
	}
	return copyBecause(reasonWriter, t.dst)
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
func bypassesRead(end any) bool {
	typ := reflect.TypeOf(end)
	fast, ok := typ.MethodByName("WriteTo") // by constant names: others would keep every method in the binary
	plain, _ := typ.MethodByName("Read")
	return ok && hasEmbedded(typ) && promoted(fast) && !promoted(plain)
}

// writesAround is readsAround for ReadFrom and Write.
func bypassesWrite(end any) bool {
	typ := reflect.TypeOf(end)
	fast, ok := typ.MethodByName("ReadFrom")
	plain, _ := typ.MethodByName("Write")
	return ok && hasEmbedded(typ) && promoted(fast) && !promoted(plain)
}

func hasEmbedded(typ reflect.Type) bool {
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
