package remote

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/server"
)

// TestPut stores objects in a real store, and replaces one.
func TestPut(t *testing.T) {
	program := server.FindStore(t)
	cleanEnvironment(t)
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "bucket"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := quick
	o.S3Endpoint = server.Store(t, program, root)
	t.Setenv("AWS_ACCESS_KEY_ID", server.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", server.SecretKey)
	c := newClient(t, o)
	const name = "s3://bucket/results/ü 1.csv"
	path := filepath.Join(root, "bucket", "results", "ü 1.csv")
	for _, data := range [][]byte{text(3_000_000), text(10), nil} {
		if err := c.Put(t.Context(), name, bytes.NewReader(data), int64(len(data))); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes arrived of %d: %v", len(got), len(data), err)
		}
	}
	if err := c.Put(t.Context(), name, &changing{}, 1000); err == nil || !strings.Contains(err.Error(), "hecksum") {
		t.Errorf("content that changes on its way: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || len(got) != 0 {
		t.Errorf("a refused object has replaced another one: %d bytes, %v", len(got), err)
	}
	for name, want := range map[string]string{"s3://none/x": "NoSuchBucket", "https://example.org/x": "only s3://",
		"s3://bucket/": "prefix", "s3://bucket/folder/": "prefix"} {
		if err := c.Put(t.Context(), name, bytes.NewReader([]byte("x")), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Put(t.Context(), name, bytes.NewReader(nil), putBytesMax+1); err == nil || !strings.Contains(err.Error(), "5 GiB") {
		t.Errorf("too large: %v", err)
	}
}

// changing is content whose bytes differ whenever they are read.
type changing struct{ reads atomic.Int32 }

func (c *changing) ReadAt(p []byte, _ int64) (int, error) {
	n := c.reads.Add(1)
	for i := range p {
		p[i] = byte(n)
	}
	return len(p), nil
}

// TestPutAgain lets requests fail, some of them after half of the content: all of it arrives in the end.
func TestPutAgain(t *testing.T) {
	cleanEnvironment(t)
	data := text(400_000)
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch requests.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			_, _ = io.CopyN(io.Discard, r.Body, int64(len(data)/2))
			panic(http.ErrAbortHandler)
		default:
			got, err := io.ReadAll(r.Body)
			if err != nil || !bytes.Equal(got, data) || r.Method != http.MethodPut || r.URL.Path != "/bucket/key" ||
				r.ContentLength != int64(len(data)) {
				t.Errorf("%s %s: %d bytes of %d, %v", r.Method, r.URL, len(got), r.ContentLength, err)
			}
		}
	}))
	defer server.Close()
	o := quick
	o.S3Endpoint = server.URL
	if err := newClient(t, o).Put(t.Context(), "s3://bucket/key", bytes.NewReader(data), int64(len(data))); err != nil {
		t.Error(err)
	}
	if n := requests.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
}
