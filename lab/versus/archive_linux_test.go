package versus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/serve"
)

func TestLaterSum(t *testing.T) {
	data := []byte("0123456789")
	for skip := range int64(len(data) + 2) {
		for step := 1; step <= len(data); step++ {
			sum := &laterSum{skip: skip, Hash: sha256.New()}
			for rest := data; len(rest) > 0; rest = rest[min(step, len(rest)):] {
				if n, err := sum.Write(rest[:min(step, len(rest))]); n != min(step, len(rest)) || err != nil {
					t.Fatal(n, err)
				}
			}
			want := sha256.Sum256(data[min(skip, int64(len(data))):])
			if !bytes.Equal(sum.Sum(nil), want[:]) {
				t.Errorf("skip %d, step %d", skip, step)
			}
		}
	}
}

// The check of an archive sees a byte that the server's file has not.
func TestSameArchive(t *testing.T) {
	b := &bench{Comparison: lab.Comparison{Bytes: 4 << 20}, data: &data{folder: t.TempDir()}}
	many := b.archived()
	handler, err := serve.New(filepath.Dir(many.folder), serve.Options{Archives: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- handler.Serve(l) }()
	t.Cleanup(func() {
		if err := handler.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	})
	s := &server{name: "thresh", addr: l.Addr().String()}
	path := "/" + filepath.Base(many.folder) + "/?archive=tar"
	if size, err := s.sameArchive(t.Context(), path, many); err != nil || size <= many.bytes {
		t.Fatalf("%d bytes of %d: %v", size, many.bytes, err)
	}
	other := filepath.Join(t.TempDir(), filepath.Base(many.folder))
	if err := os.CopyFS(other, os.DirFS(many.folder)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(other, filepath.Base(many.files[1].Name)), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("changed"), 100); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	many.folder = other
	if _, err := s.sameArchive(t.Context(), path, many); err == nil {
		t.Error("an archive with other bytes passes")
	}
}
