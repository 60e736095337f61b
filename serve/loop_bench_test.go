package serve

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRequest measures a small file from the client's write to its read, on one connection. Allocations are
// those of both ends, and the client has none.
func BenchmarkRequest(b *testing.B) {
	folder := b.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "small"), make([]byte, 1000), 0o644); err != nil {
		b.Fatal(err)
	}
	s, err := New(folder, Options{AccessLog: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go s.Serve(l)
	defer s.Shutdown(context.Background())
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	request := []byte("GET /small HTTP/1.1\r\nHost: x\r\nUser-Agent: x\r\nAccept: */*\r\n\r\n")
	reply := make([]byte, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		n, err := conn.Read(reply) // it comes in one write
		if err != nil || n < 1000 {
			b.Fatalf("%d bytes, %v", n, err)
		}
	}
}
