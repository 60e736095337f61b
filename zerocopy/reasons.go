package zerocopy

import (
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
)

// Reasons say why there is no better path. %T and %v stand for the obstacle. What follows a colon
// helps: a test applies it to the copies of doc.go. A reason without advice has none.
const (
	// Both this package and the standard library copy.
	reasonReader = "the reader is a %T, which hides its source: give it a WriteTo that forwards, " +
		"or make it a Hook of zerocopy.NewReader"
	reasonWriter = "the writer is a %T, which hides its destination: give it a ReadFrom that forwards, " +
		"or make it a Hook of zerocopy.NewWriter or zerocopy.NewConn"
	reasonLimited    = "a limit hides the WriteTo of the %T: give that reader a limit inside instead"
	reasonMemory     = "a %T handles the bytes in memory"
	reasonBody       = "net/http parses the bytes of a %T in memory"
	reasonOverride   = "the %T may define its own Read or Write, which an embedded WriteTo or ReadFrom would bypass"
	reasonDatagram   = "the connection carries datagrams, not a stream (%T)"
	reasonNotRegular = "%v is not a regular file, and the kernel sends from and to regular files only"
	reasonEmpty      = "%v is empty, or only read returns its bytes, as for files of /proc"
	reasonAppend     = "%v was opened with O_APPEND, which splice and copy_file_range refuse: open it without, and seek"
	reasonOS         = "on %v copies go through memory, because this package uses system calls of Linux"
	reasonRefused    = "the kernel refused to move bytes of the %T to this destination"
	reasonNoPipe     = "all pipes were taken for a while"
	reasonWritten    = "the WriteTo of the %T wrote bytes of its own"

	// The standard library copies, and zerocopy.Copy need not.
	reasonNested = "two nested limits, but the standard library looks through one only: use zerocopy.Copy, " +
		"or lower the N of the existing limit"
	reasonUnknownToStd = "the standard library does not know the %T: use zerocopy.Copy, or make the destination " +
		"a zerocopy.Conn"
	reasonSection  = "the standard library reads an io.SectionReader with Read: use zerocopy.Copy, or a zerocopy.Section"
	reasonUnix     = "a *net.UnixConn has no ReadFrom and %T no WriteTo that knows it: use zerocopy.Copy"
	reasonBuffered = "the bufio.Writer has buffered bytes: flush it first"

	// Caveats of a path.
	reasonPipe     = "%v is a pipe or terminal, and this splice spins while its reader stalls; zerocopy.Copy does not"
	reasonBypassed = "the %T is bypassed, so methods of its own do not see these bytes"
	reasonReadFrom = "it depends on the ReadFrom of the %T; this is the method if it forwards without another limit"
	reasonUnknown  = "it depends on a method of the %T; zerocopytest shows which way the bytes go"

	// HTTP.
	reasonTLS            = "TLS encrypts the bytes in memory"
	reasonHTTP2          = "HTTP/2 builds frames in memory"
	reasonTimeoutHandler = "http.TimeoutHandler buffers the whole body in memory: set deadlines with " +
		"http.ResponseController, or use zerocopy.WriteTimeout"
	reasonChunked       = "a body without Content-Length is chunked in HTTP/1.1: set the header"
	reasonNoBody        = "the response has no body"
	reasonUnknownToHTTP = "net/http does not know the %T: wrap the server's listener with zerocopy.NewListener, " +
		"unless it is"
	reasonResponse = "the response is a %T without ReadFrom: give it one that forwards, or wrap the server's " +
		"handler with zerocopy.NewHandler, and copy to zerocopy.NewResponseWriter of it"
	reasonNoUnwrap = "the response is a %T without ReadFrom and Unwrap: give it a ReadFrom that forwards, " +
		"or an Unwrap and see zerocopy.NewHandler"
	reasonTransforms = "the %T did not pass on the bytes as they were"
)

// inMemory lists packages of the standard library whose readers and writers need the bytes in memory,
// or have them there.
var inMemory = []string{
	"io", "bufio", "bytes", "strings", "net", "crypto/tls", "compress/gzip", "compress/flate", "compress/zlib",
}

// readerReason says why the reader hides its source.
func readerReason(r io.Reader) string {
	_, writes := r.(io.WriterTo)
	path := packageOf(r)
	switch r.(type) {
	case *net.UnixConn, *net.UDPConn, *net.IPConn:
		return reasonDatagram
	}
	switch {
	case writes && mayBypass[io.WriterTo](r):
		return reasonOverride
	case path == "net/http":
		return reasonBody
	case slices.Contains(inMemory, path):
		return reasonMemory
	case writes:
		return reasonLimited
	}
	return reasonReader
}

// writerReason says why the writer hides its destination.
func writerReason(w io.Writer) string {
	_, unwraps := w.(interface{ Unwrap() http.ResponseWriter })
	_, responds := w.(http.ResponseWriter)
	_, flushes := w.(http.Flusher)
	path := packageOf(w)
	switch {
	case path == "net/http" && responds && flushes:
		return reasonHTTP2
	case path == "net/http" && responds:
		return reasonTimeoutHandler
	case slices.Contains(inMemory, path):
		return reasonMemory
	case unwraps:
		return reasonResponse
	case responds:
		return reasonNoUnwrap
	}
	return reasonWriter
}

// packageOf returns the package of the type of end, or of what it points to.
func packageOf(end any) string {
	typ := reflect.TypeOf(end)
	if typ == nil {
		return ""
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.PkgPath()
}
