package remote

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
)

// versitygw starts the S3-compatible store of that name, whose buckets are the folders below root.
func versitygw(t *testing.T, root string) (endpoint string) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(cache, "thresh", "bin", "versitygw")
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v: scripts/test-setup.sh installs it", err)
		}
		t.Skipf("%v: scripts/test-setup.sh installs it", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(program, "--port", address, "--access", "me", "--secret", "secret", "posix", root)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return "http://" + address
		}
		if time.Now().After(end) {
			t.Fatalf("%v\n%s", err, out.String())
		}
	}
}

// TestVersitygw asks a real store: it checks signatures and honours If-Match.
func TestVersitygw(t *testing.T) {
	cleanEnvironment(t)
	root := t.TempDir()
	folder := filepath.Join(root, "bucket", "w+ x")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	data := text(1_700_000)
	path := filepath.Join(folder, "ü=1.txt")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	endpoint := versitygw(t, root)
	o := quick
	o.S3Endpoint = endpoint
	const name = "s3://bucket/w+ x/ü=1.txt"
	t.Setenv("AWS_ACCESS_KEY_ID", "me")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	var refused *StatusError
	if _, err := newClient(t, o).OpenObject(t.Context(), name); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("with a wrong secret: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	c := newClient(t, o)
	var names []string
	for name, err := range c.Files(t.Context(), "s3://bucket/", true) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if strings.Join(names, " ") != name {
		t.Errorf("listed %q", names)
	}
	options := thresh.Options{ChunkBytes: 200_000}
	want := answers(t, func() (*thresh.Input, error) { return thresh.Open(path) }, options)
	if got := answers(t, func() (*thresh.Input, error) { return c.Open(t.Context(), name) }, options); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	in, err := c.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	put, _ := http.NewRequest(http.MethodPut, endpoint+"/bucket/w+%20x/%C3%BC%3D1.txt", bytes.NewReader(data[1:]))
	put.URL.RawPath = "/bucket/w%2B%20x/%C3%BC%3D1.txt"
	if err := c.s3.sign(put); err != nil {
		t.Fatal(err)
	}
	resp, err := c.http.Do(put)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	r, err := thresh.Count(t.Context(), in, thresh.Lines(), thresh.Options{})
	var replaced *ReplacedError
	if err != nil || len(r.Unread) == 0 || !errors.As(&r.Unread[0], &replaced) {
		t.Errorf("a replaced object: %d lines, unread %v: %v", r.Hits, r.Unread, err)
	}
}
