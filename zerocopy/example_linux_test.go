package zerocopy_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// A connection with hooks that count and set deadlines still sends a file with sendfile.
func Example() {
	file := exampleFile(1 << 20)
	defer file.Close()
	conn, done := exampleConn()

	var sent zerocopy.Counter
	hooked := zerocopy.NewConn(conn, zerocopy.Hooks{Write: []zerocopy.Hook{
		zerocopy.Count(&sent),
		zerocopy.WriteTimeout(conn, time.Minute), // for each slice, not for the whole file
	}})
	n, err := io.Copy(hooked, file)
	hooked.Close()
	<-done

	fmt.Println(n, err)
	fmt.Println("by sendfile:", sent.Bytes(zerocopy.BySendfile))
	fmt.Println("by copy:", sent.Bytes(zerocopy.ByCopy))
	// Output:
	// 1048576 <nil>
	// by sendfile: 1048576
	// by copy: 0
}

// Path says which way io.Copy would go, and why there is no better one. Copy often knows one.
func ExamplePath() {
	file := exampleFile(1 << 20)
	defer file.Close()
	conn, done := exampleConn()
	show := func(name string, route zerocopy.Route) {
		fmt.Printf("%s: %v\n", name, route.Method)
		if route.Reason != "" {
			fmt.Println("  because:", route.Reason)
		}
	}

	show("file", zerocopy.Path(conn, file))
	limited := io.LimitReader(io.LimitReader(file, 1<<20), 1000)
	show("two limits", zerocopy.Path(conn, limited))
	show("two limits, zerocopy.Copy", zerocopy.CopyPath(conn, limited))
	show("hidden file", zerocopy.Path(conn, struct{ io.Reader }{file}))

	conn.Close()
	<-done
	// Output:
	// file: sendfile
	// two limits: copy
	//   because: two nested limits, but the standard library looks through one only: use zerocopy.Copy, or lower the N of the existing limit
	// two limits, zerocopy.Copy: sendfile
	// hidden file: copy
	//   because: the reader is a struct { io.Reader }, which hides its source: give it a WriteTo that forwards, or make it a Hook of zerocopy.NewReader
}

// Copy reports how many bytes went which way.
func ExampleCopy() {
	file := exampleFile(1 << 20)
	defer file.Close()
	conn, done := exampleConn()

	first := zerocopy.NewSection(file, 0, 1000, nil) // the file's own offset stays where it is
	result, err := zerocopy.Copy(conn, first)
	fmt.Println(result.Total(), "bytes,", result.Bytes[zerocopy.BySendfile], "of them by sendfile,", err)

	conn.Close()
	<-done
	// Output:
	// 1000 bytes, 1000 of them by sendfile, <nil>
}

// An HTTP handler counts the bytes of a response body. With an http.ResponseWriter embedded in a
// struct of its own, io.Copy would copy; with hooks it still uses sendfile.
func ExampleNewResponseWriter() {
	file := exampleFile(1 << 20)
	defer file.Close()
	var body zerocopy.Counter
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = zerocopy.NewResponseWriter(w, r, zerocopy.Count(&body))
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", "1048576")
		if _, err := io.Copy(w, file); err != nil {
			log.Print(err)
		}
	}))

	response, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	n, err := io.Copy(io.Discard, response.Body)
	response.Body.Close()
	server.Close()
	fmt.Println(n, err)
	fmt.Println("by sendfile:", body.Bytes(zerocopy.BySendfile))
	// Output:
	// 1048576 <nil>
	// by sendfile: 1048576
}

// status is a response of another package: it notes the size, and has no ReadFrom.
type status struct {
	http.ResponseWriter
	size int
}

func (s *status) Write(p []byte) (int, error) {
	n, err := s.ResponseWriter.Write(p)
	s.size += n
	return n, err
}

func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// A middleware whose response has no ReadFrom counts every byte, and the file still goes by sendfile.
func ExampleNewHandler() {
	file := exampleFile(1 << 20)
	defer file.Close()
	var result zerocopy.Result
	var size int
	files := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1048576")
		var err error
		if result, err = zerocopy.Copy(w, file); err != nil {
			log.Print(err)
		}
	}
	middleware := func(w http.ResponseWriter, r *http.Request) {
		counted := &status{ResponseWriter: w}
		zerocopy.NewHandler(http.HandlerFunc(files)).ServeHTTP(counted, r) // above the middleware
		size = counted.size
	}
	server := httptest.NewServer(zerocopy.NewHandler(http.HandlerFunc(middleware))) // and below it

	response, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_, err = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	server.Close()
	fmt.Println("the middleware counted", size, err)
	fmt.Println(result)
	// Output:
	// the middleware counted 1048576 <nil>
	// 992 KiB by sendfile in 1 call, 32 KiB by copy in 3 calls
}

// A Result prints itself, with %+v also why bytes were copied.
func ExampleResult() {
	file := exampleFile(64 << 10)
	defer file.Close()
	result, err := zerocopy.Copy(struct{ io.Writer }{io.Discard}, file)
	fmt.Println(result, err)
	fmt.Printf("%.105s...\n", fmt.Sprintf("%+v", result))
	// Output:
	// 64 KiB by copy in 5 calls <nil>
	// 64 KiB by copy in 5 calls: the writer is a struct { io.Writer }, which hides its destination: give it a R...
}

// largest is a hook that remembers the largest slice.
type largest struct{ bytes int64 }

// Before allows everything.
func (l *largest) Before(_ context.Context, want int64) (int64, error) { return want, nil }

// After sees what was transferred.
func (l *largest) After(n int64, _ zerocopy.Method) { l.bytes = max(l.bytes, n) }

// A Hook is any type with these two methods.
func ExampleHook() {
	file := exampleFile(5 << 20)
	defer file.Close()
	out := exampleFile(0)
	defer out.Close()

	var hook largest
	n, err := io.Copy(zerocopy.NewWriter(out, &hook), file)
	fmt.Println(n, err)
	fmt.Println("largest slice at most 2 MiB:", hook.bytes <= 2<<20)
	// Output:
	// 5242880 <nil>
	// largest slice at most 2 MiB: true
}

// exampleFile returns a temporary file without a name.
func exampleFile(bytes int64) *os.File {
	file, err := os.CreateTemp("", "zerocopy")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Remove(file.Name()); err != nil {
		log.Fatal(err)
	}
	if err := file.Truncate(bytes); err != nil {
		log.Fatal(err)
	}
	return file
}

// exampleConn returns a connection whose peer discards what it receives. Done is closed when the
// peer has received all.
func exampleConn() (conn net.Conn, done <-chan struct{}) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	received := make(chan struct{})
	go func() {
		defer close(received)
		peer, err := l.Accept()
		l.Close() // not before: a connection that nobody accepted would be reset
		if err != nil {
			log.Print(err)
			return
		}
		defer peer.Close()
		if _, err := io.Copy(io.Discard, peer); err != nil {
			log.Print(err)
		}
	}()
	if conn, err = net.Dial("tcp", l.Addr().String()); err != nil {
		log.Fatal(err)
	}
	return conn, received
}
