package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/serve"
)

// A server over a folder, with an access log and metrics, that answers one request.
func Example() {
	folder := exampleFolder()
	defer os.RemoveAll(folder)
	var accessLog strings.Builder // in a program: a file
	s, err := serve.New(folder, serve.Options{
		LimitRate: 100 << 20, // 100 MiB a second for each connection
		AccessLog: &accessLog,
		ErrorLog:  func(err error) { log.Print(err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()

	response, err := http.Get("http://" + l.Addr().String() + "/hello.txt")
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	fmt.Println(response.Status, err)
	fmt.Print(string(body))

	// Shutdown waits for the requests in progress, and writes the rest of the log.
	fmt.Println("shutdown error:", s.Shutdown(context.Background()))
	fmt.Println("stopped as asked:", errors.Is(<-served, http.ErrServerClosed))
	fmt.Println("logged:", strings.Contains(accessLog.String(), `"GET /hello.txt HTTP/1.1" 200 14`))
	fmt.Println("counted:", counted(s, `thresh_serve_requests_total{method="GET",status="2xx"} 1`))
	// Output:
	// 200 OK <nil>
	// Hello, reader
	// shutdown error: <nil>
	// stopped as asked: true
	// logged: true
	// counted: true
}

// counted reports whether the metrics contain a line.
func counted(s *serve.Server, line string) bool {
	w := httptest.NewRecorder()
	s.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return strings.Contains(w.Body.String(), line+"\n")
}

// The handler alone serves the files below a path of another server. Folders are listed, as HTML
// or as JSON.
func ExampleServer_Handler() {
	folder := exampleFolder()
	defer os.RemoveAll(folder)
	s, err := serve.New(folder, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Shutdown(context.Background())
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", s.Handler()))

	request := httptest.NewRequest("GET", "/files/hello.txt", nil)
	request.Header.Set("Range", "bytes=7-12")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, request)
	fmt.Println(w.Code, w.Header().Get("Content-Range"), w.Body)
	// Output:
	// 206 bytes 7-12/14 reader
}

// New refuses an option with a *failure.OptionError, which names it.
func Example_optionError() {
	_, err := serve.New(".", serve.Options{Encodings: []string{"deflate"}})
	if wrong, ok := errors.AsType[*failure.OptionError](err); ok {
		fmt.Println("wrong:", wrong.Field)
	}
	fmt.Println(err)
	// Output:
	// wrong: Encodings
	// serve: Encodings "deflate": unknown content coding; there are zstd, br and gzip
}

// exampleFolder returns a new folder with one file.
func exampleFolder() string {
	folder, err := os.MkdirTemp("", "serve")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "hello.txt"), []byte("Hello, reader\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	return folder
}
