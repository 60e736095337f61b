package copy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/serve"
)

// variants returns all variants: those of the article first, in its order, and other programs last.
func variants() []variant {
	return []variant{
		// The file and the connection, without wrappers: the article's first server, and the one that all others are
		// compared with. The file's WriteTo finds the socket and calls sendfile until the file ends. In the
		// article's Go 1.22, the connection's ReadFrom made the same calls.
		{id: "raw", what: "io.Copy(conn, file)", path: bySendfile,
			published: lab.Published{Value: 54, Text: "2,958 sendfile for five transfers"},
			serve:     sending(func(c *net.TCPConn, f *os.File) error { return copied(c, f) })},

		// The article's second server: it wraps the file in a reader that only forwards reads. The wrapper hides the
		// file, and io.Copy copies it in pieces of 32 KiB.
		{id: "wrapped", what: "io.Copy(conn, reader around the file)", path: byCopy,
			published: lab.Published{Value: 184, Text: "131,093 read, write for five transfers"},
			serve:     sending(func(c *net.TCPConn, f *os.File) error { return copied(c, justReader{f}) })},

		// The article's third server: io.LimitReader, the only wrapper that the connection unwraps, and only one
		// layer of it.
		{id: "limit", what: "io.Copy(conn, io.LimitReader(file, size))", path: bySendfile,
			published: lab.Published{Value: 60, Text: "2,896 sendfile for five transfers"}, serve: sending(sendLimited)},

		// The article's advice: wrappers that forward WriterTo and ReaderFrom. Here both ends are wrapped, both
		// count, and both counts must be right.
		{id: "forward", what: "counting wrappers that forward WriterTo and ReaderFrom", path: bySendfile,
			published: lab.Published{Text: "keeps sendfile"}, serve: sending(sendForwarded)},

		// The article's relay: an io.Copy for each direction between two TCP connections. It uses splice through a
		// pipe, which each copy keeps until it ends, even while there is no data. The article abandons the
		// direction that lasts longer. Here, each direction forwards its end, and the relay waits for both.
		{id: "splice", what: "relay by io.Copy in both directions", path: bySplice,
			published: lab.Published{Text: "10,677 splice for one transfer, no read or write of data"},
			serve:     relaying(func(dst, src *net.TCPConn) error { return copied(dst, src) })},

		// The article's surprise "for another post": the textbook io.Copy to a ResponseWriter. Without a length the
		// body is sent in chunks, and their headers must be written between pieces of 32 KiB.
		{id: "http", what: "io.Copy to a ResponseWriter, no Content-Length", path: byCopy, asks: get,
			published: lab.Published{Text: "can route around sendfile"},
			serve:     opening(func(w http.ResponseWriter, _ *http.Request, f *os.File) error { return copied(w, f) })},

		// It avoids that surprise by a Content-Length.
		{id: "http-length", what: "io.Copy to a ResponseWriter, Content-Length set", path: bySendfile,
			asks: get, serve: opening(copyWithLength)},

		// The article's opening story in its most common place: an access log wraps the ResponseWriter to count bytes
		// in Write, and so hides ReadFrom.
		{id: "http-middleware", what: "http.FileServer behind a byte-counting ResponseWriter", path: byCopy,
			asks: get, serve: answering(countBodies)},

		// The standard library's file server without a wrapper. The article does not time it.
		{id: "http-fileserver", what: "http.FileServer(http.Dir(folder))", path: bySendfile, asks: get,
			serve: answering(func(path string, _ func(error)) http.Handler { return fileServer(path) })},

		// A range from http.ServeContent: the whole file except for its first byte. The article states that this keeps
		// sendfile, but does not show it.
		{id: "http-range", what: "http.ServeContent, one range", path: bySendfile,
			asks: getRange, serve: opening(serveContent)},

		// A relay without splice, which the article does not time: the copy loop with 32 KiB to which io.Copy falls
		// back if either connection is wrapped.
		{id: "relay32", what: "relay by a loop of 32 KiB, both connections wrapped", path: byCopy,
			serve: relaying(func(dst, src *net.TCPConn) error {
				return copied(struct{ io.Writer }{dst}, justReader{src})
			})},

		// This project's file server, with the features that lose sendfile in the article: it counts bytes, for the
		// access log and for its metrics, and it has a rate limit, though one too high to matter.
		{id: "serve", what: "thresh serve, with access log and rate limit", path: bySendfile, product: true, asks: get,
			serve: func(l net.Listener, path string, logError func(error)) error {
				s, err := serve.New(filepath.Dir(path), serve.Options{
					ErrorLog: logError, AccessLog: io.Discard, LimitRate: 1 << 40,
				})
				if err != nil {
					return err
				}
				return s.Serve(l)
			}},

		// This project's relay.
		{id: "relay", what: "thresh relay", path: bySplice, product: true,
			serve: func(l net.Listener, upstream string, logError func(error)) error {
				r, err := relay.New(upstream, relay.Options{ErrorLog: logError})
				if err != nil {
					return err
				}
				return r.Serve(l)
			}},

		// nginx sends the file by sendfile, with one worker and an access log. The article does not have it.
		{id: "nginx", what: "nginx, one worker, sendfile on, with access log", path: bySendfile, asks: get,
			other: &program{"nginx", func(address, target, temp string) ([]string, error) {
				const files = 512 // that a worker may open: far more than one client needs
				return peer.Nginx(address, filepath.Dir(target), temp, files)
			}}},

		// HAProxy relays by splice in one thread. The article does not have it.
		{id: "haproxy", what: "HAProxy, a TCP relay with splice in one thread", path: bySplice,
			other: &program{"haproxy", peer.HAProxy}},
	}
}

func copied(to io.Writer, from io.Reader) error {
	_, err := io.Copy(to, from)
	return err
}

// justReader hides all methods except Read.
//
//thresh:ignore hiddenfile the article's wrapper, whose cost is measured
type justReader struct{ r io.Reader }

func (j justReader) Read(p []byte) (int, error) { return j.r.Read(p) }

func sendLimited(c *net.TCPConn, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return copied(c, io.LimitReader(f, info.Size()))
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// WriteTo passes the wrapped reader to io.Copy, which sees its type.
func (c *countingReader) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, c.r)
	c.n += n
	return n, err
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// ReadFrom passes the wrapped writer to io.Copy, which sees its type.
func (c *countingWriter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.w, r)
	c.n += n
	return n, err
}

func sendForwarded(c *net.TCPConn, f *os.File) error {
	from, to := &countingReader{r: f}, &countingWriter{w: c}
	n, err := io.Copy(to, from)
	if err == nil && (from.n != n || to.n != n) {
		err = fmt.Errorf("send %s: %d bytes copied, reader counted %d, writer %d", f.Name(), n, from.n, to.n)
	}
	return err
}

func copyWithLength(w http.ResponseWriter, _ *http.Request, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	return copied(w, f)
}

func serveContent(w http.ResponseWriter, r *http.Request, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	http.ServeContent(w, r, f.Name(), info.ModTime(), f)
	return nil
}

// fileServer opens the folder with http.Dir, because it copies from an fs.FS.
func fileServer(path string) http.Handler { return http.FileServer(http.Dir(filepath.Dir(path))) }

//thresh:ignore responsewrapper the article's wrapper, whose cost is measured
type countingResponse struct {
	http.ResponseWriter
	n int64
}

func (c *countingResponse) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += int64(n)
	return n, err
}

func countBodies(path string, logError func(error)) http.Handler {
	inner := fileServer(path)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countingResponse{ResponseWriter: w}
		inner.ServeHTTP(counted, r)
		if counted.n == 0 {
			logError(errors.New("answer " + r.URL.Path + ": no bytes counted"))
		}
	})
}
