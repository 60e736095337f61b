package a

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"

	"missinglength/dep"
)

func download(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := io.Copy(w, f); err != nil { // want `^io.Copy of a .* set Content-Length, or use http.ServeContent$`
		return
	}
}

func limited(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	io.CopyN(w, f, 1<<20) // want `io.CopyN of a file to a ResponseWriter without Content-Length`
}

func limit(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	io.Copy(w, io.LimitReader(f, 1<<20)) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

func buffered(w http.ResponseWriter, r *http.Request) {
	f, _ := os.OpenFile("data", os.O_RDONLY, 0)
	io.CopyBuffer(w, f, make([]byte, 1<<20)) // want `io.CopyBuffer of a file to a ResponseWriter without Content-Length`
}

func fromRoot(root *os.Root) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := root.Open(r.URL.Path)
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		defer f.Close()
		io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
	}
}

// A helper that the package's handlers call.
func copyTo(w http.ResponseWriter, f *os.File) error {
	_, err := io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
	return err
}

func calls(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	copyTo(w, f)
}

// A helper that opens.
func open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func opened(w http.ResponseWriter, r *http.Request) {
	f, err := open("data")
	if err != nil {
		return
	}
	defer f.Close()
	io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

// ReadFrom by hand, on a method.
func (s *server) get(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open(s.dir)
	if err != nil {
		return
	}
	if rf, ok := w.(io.ReaderFrom); ok {
		rf.ReadFrom(f) // want `ReadFrom of a file by a ResponseWriter without Content-Length`
	}
}

// A precompressed file.
func compressedFile(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data.gz")
	if err != nil {
		return
	}
	w.Header().Set(dep.Encoding, "gzip")
	w.WriteHeader(http.StatusOK)
	io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

// A method of a generic type.
type store[K comparable] struct{ names map[K]string }

func (s *store[K]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

// response is an alias.
type response = http.ResponseWriter

func alias(w response, r *http.Request) {
	f, _ := os.Open("data")
	io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

// A reader whose WriteTo leaves the copy to the file inside.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, c.Reader)
	c.n += n
	return n, err
}

func counts(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	io.Copy(w, &counted{Reader: f}) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

func countsWithBuffer(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	buf := make([]byte, 1<<20)
	io.CopyBuffer(w, &counted{Reader: f}, buf) // want `io.CopyBuffer of a file to a ResponseWriter without`
}

// From here on nothing is to be reported.

// The path is lost at the reader, before the length matters.
type slow struct{ io.Reader }

func (s slow) Read(p []byte) (int, error) { return s.Reader.Read(p) }

func (s slow) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{s.Reader})
}

func slowly(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	io.Copy(w, slow{f})
}

// CopyN does not ask for WriteTo, and so does not see the file.
func countsSome(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	io.CopyN(w, &counted{Reader: f}, 1<<20)
}

// The body is no file.
func countsBody(w http.ResponseWriter, r *http.Request) { io.Copy(w, &counted{Reader: r.Body}) }

func countsUnknown(w http.ResponseWriter, r *http.Request, src func() io.Reader) {
	io.Copy(w, &counted{Reader: src()})
}

func withLength(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	fi, err := f.Stat()
	if err != nil {
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(fi.Size()))
	io.Copy(w, f)
}

func withHelper(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	setLength(w, f)
	io.Copy(w, f)
}

// One of its callers sets it.
func copyOf(w http.ResponseWriter, f *os.File) { io.Copy(w, f) }

func callsWithLength(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	w.Header().Set("Content-Length", "100")
	copyOf(w, f)
}

// Other packages may call it, and set it.
func SendFile(w http.ResponseWriter, name string) {
	f, _ := os.Open(name)
	io.Copy(w, f)
}

func chunked(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	w.Header().Set("Transfer-Encoding", "identity")
	io.Copy(w, f)
}

func copied(w http.ResponseWriter, r *http.Request, stored map[string]string) {
	f, _ := os.Open("data")
	for k, v := range stored {
		w.Header().Set(k, v)
	}
	io.Copy(w, f)
}

func compressing(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	gz := gzip.NewWriter(w)
	defer gz.Close()
	io.Copy(gz, f)
}

// Its length is not that of the file.
func framed(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	fmt.Fprintln(w, "<pre>")
	io.Copy(w, f)
	fmt.Fprintln(w, "</pre>")
}

func several(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"a", "b"} {
		f, err := os.Open(name)
		if err != nil {
			return
		}
		io.Copy(w, f)
		f.Close()
	}
}

func piped(w http.ResponseWriter, r *http.Request) {
	f, _, _ := os.Pipe()
	io.Copy(w, f)
}

func stdin(w http.ResponseWriter, r *http.Request) { io.Copy(w, os.Stdin) }

func fromMemory(w http.ResponseWriter, r *http.Request) { io.Copy(w, bytes.NewReader(nil)) }

func flushed(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("log")
	w.(http.Flusher).Flush()
	io.Copy(w, f)
}

func onlyHead(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	if r.Method == http.MethodHead {
		io.Copy(w, f)
	}
}

func preparedCopy(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	dep.Prepare(w)
	io.Copy(w, f)
}

func toFile(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Create("upload")
	io.Copy(f, r.Body)
}

func ignoredCopy(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	io.Copy(w, f) //thresh:ignore missinglength a small file
}

// A controller flushes it.
func controlled(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("log")
	http.NewResponseController(w).Flush()
	io.Copy(w, f)
}

// What runs at the end comes too late.
func deferred(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	defer func() { w.Header().Set("Content-Length", "100") }()
	io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}

// Functions that call each other.
func ping(w http.ResponseWriter, n int) {
	if n > 0 {
		pong(w, n-1)
	}
}

func pong(w http.ResponseWriter, n int) {
	w.Header().Set("X-Count", fmt.Sprint(n))
	ping(w, n)
}

func recursive(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("data")
	ping(w, 10)
	io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
}
