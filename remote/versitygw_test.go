package remote

import (
	"bytes"
	"encoding/base64"
	"errors"
	"hash"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/test/server"
	"github.com/thresh-dev/thresh/options"
)

// putObject stores an object, or replaces it. The header may have a checksum.
func putObject(t *testing.T, c *Client, bucket, key string, data []byte, header ...string) {
	t.Helper()
	u, err := c.s3.url(bucket, key)
	if err != nil {
		t.Fatal(err)
	}
	put, err := http.NewRequest(http.MethodPut, u.String(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	put.URL = u
	for i := 0; i < len(header); i += 2 {
		put.Header.Set(header[i], header[i+1])
	}
	if err := c.s3.sign(put); err != nil {
		t.Fatal(err)
	}
	resp, err := c.http.Do(put)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
}

// TestVersitygw asks a real store: it checks signatures and honours If-Match.
func TestVersitygw(t *testing.T) {
	program := server.FindStore(t) // below the home folder, which is another one from here on
	cleanEnvironment(t)
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "bucket"), 0o755); err != nil {
		t.Fatal(err)
	}
	endpoint := server.Store(t, program, root)
	o := quick
	o.S3Endpoint = endpoint
	const key = "w+ x/ü=1.txt"
	const name = "s3://bucket/" + key
	t.Setenv("AWS_ACCESS_KEY_ID", server.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	var refused *StatusError
	if _, err := newClient(t, o).OpenObject(t.Context(), name); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("with a wrong secret: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", server.SecretKey)
	c := newClient(t, o)
	data := text(1_700_000)
	path := filepath.Join(root, "bucket", key)
	putObject(t, c, "bucket", key, data)
	damageInStore(t, c, root)
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
	how := options.Find{Run: options.Run{ChunkBytes: 200_000}}
	want := answers(t, func() (*thresh.Input, error) { return thresh.Open(path) }, how)
	if got := answers(t, func() (*thresh.Input, error) { return c.Open(t.Context(), name) }, how); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	in, err := c.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	putObject(t, c, "bucket", key, data[1:])
	r, err := thresh.Count(t.Context(), in, thresh.LineCount(), options.Scan{})
	var replaced *ReplacedError
	if err != nil || len(r.Unread) == 0 || !errors.As(&r.Unread[0], &replaced) {
		t.Errorf("a replaced object: %d lines, unread %v: %v", r.Hits, r.Unread, err)
	}
}

// damageInStore alters objects behind the store's back: each is an error that names it.
func damageInStore(t *testing.T, c *Client, root string) {
	data := text(10_000)
	for _, s := range storeSums {
		header := checksumPrefix + s.name
		key := "sums/" + s.name
		putObject(t, c, "bucket", key, data, header, base64.StdEncoding.EncodeToString(sumOf(s.hash(), data)))
		o, err := c.OpenObject(t.Context(), "s3://bucket/"+key)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, "bucket", "sums", s.name)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt([]byte("!"), 5000)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		var damaged *ChecksumError
		_, err = c.OpenObject(t.Context(), "s3://bucket/"+key)
		if !errors.As(err, &damaged) || damaged.Header != header || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func sumOf(h hash.Hash, data []byte) []byte {
	h.Write(data)
	return h.Sum(nil)
}
