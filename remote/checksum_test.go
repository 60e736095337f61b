package remote

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
)

// nines are the checksums of "123456789" as catalogues of algorithms have them.
var nines = []struct{ header, format, sum string }{
	{"X-Amz-Checksum-Crc64nvme", "%s", "ae8b14860a799888"},
	{"X-Amz-Checksum-Crc32c", "%s", "e3069283"},
	{"X-Amz-Checksum-Crc32", "%s", "cbf43926"},
	{"X-Amz-Checksum-Sha1", "%s", "f7c3bc1d808e04732adf679965ccc34ca7ae3441"},
	{"X-Amz-Checksum-Sha256", "%s", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"},
	{"Content-Md5", "%s", "25f9e794323b453885f5181f1b624d0b"},
	{"Digest", "unixsum=30637, SHA-256=%s", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"},
	{"Repr-Digest", "id-sha=:AA==:, sha-256=:%s:", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"},
	{"Content-Digest", "sha-512=:%s:", "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274a" +
		"d27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85"},
}

// TestChecksum compares content with checksums of all kinds, in answers of all kinds of servers.
func TestChecksum(t *testing.T) {
	c := newClient(t, quick)
	for kind, server := range servers {
		for _, n := range nines {
			sum, err := hex.DecodeString(n.sum)
			if err != nil {
				t.Fatal(err)
			}
			for _, content := range []string{"123456789", "123456788"} {
				name := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set(n.header, fmt.Sprintf(n.format, base64.StdEncoding.EncodeToString(sum)))
					server([]byte(content))(w, r)
				})
				err := count(t, c, name, 9)
				var damaged *ChecksumError
				if right := content == "123456789"; right != (err == nil) || !right && !errors.As(err, &damaged) {
					t.Errorf("%s, %s of %s: %v", kind, n.header, content, err)
				}
				if damaged != nil && damaged.Header != n.header {
					t.Errorf("%s: %s is blamed", n.header, damaged.Header)
				}
			}
		}
	}
}

// count counts all bytes of an object that are not zero. It returns the error of what could not be read.
func count(t *testing.T, c *Client, name string, want int64) error {
	t.Helper()
	in, err := c.Open(t.Context(), name)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := thresh.Count(t.Context(), in, thresh.NonZero(), options.Scan{Run: options.Run{ChunkBytes: 300_000}})
	if err != nil {
		return err
	}
	if len(r.Unread) > 0 {
		return &r.Unread[0]
	}
	if r.Hits != want || !r.Complete {
		t.Errorf("%s: %d of %d bytes", name, r.Hits, want)
	}
	return nil
}

// TestChecksumOfStream compares the content of objects that are too long for memory when they end. What comes in
// several ranges is not compared.
func TestChecksumOfStream(t *testing.T) {
	c := newClient(t, quick)
	for _, size := range []int{wholeBytesMax - 1, wholeBytesMax, wholeBytesMax + 1, 2_000_000} {
		data := text(size)
		sum := base64.StdEncoding.EncodeToString(sumOf(storeSums[0].hash(), data))
		damaged := append([]byte{data[0] ^ 1}, data[1:]...)
		for kind, server := range servers {
			for _, content := range [][]byte{data, damaged} {
				name := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("X-Amz-Checksum-Crc64nvme", sum)
					server(content)(w, r)
				})
				err := count(t, c, name, int64(size))
				ranges := kind == "ranges" || kind == "modified" || kind == "short answers"
				if found := errors.As(err, new(*ChecksumError)); found == ranges && content[0] != data[0] ||
					err != nil && (content[0] == data[0] || !strings.Contains(err.Error(), name)) {
					t.Errorf("%s, %d bytes, damaged %v: %v", kind, size, content[0] != data[0], err)
				}
			}
		}
	}
}

// TestDamagedOnce asks once more for content that was damaged on its way, and no more than once.
func TestDamagedOnce(t *testing.T) {
	c := newClient(t, quick)
	for _, times := range []int64{1, 1 << 40} {
		var asks atomic.Int64
		name := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-MD5", "JfnnlDI7RTiF9RgfG2JNCw==")
			content := "123456789"
			if asks.Add(1) <= times {
				content = "12345678!"
			}
			serveRanges([]byte(content))(w, r)
		})
		err := count(t, c, name, 9)
		if (err == nil) != (times == 1) || asks.Load() != 2 {
			t.Errorf("damaged %d times: %d requests: %v", times, asks.Load(), err)
		}
	}
}

// TestNoChecksum reads objects whose checksums cannot be compared with the content.
func TestNoChecksum(t *testing.T) {
	c := newClient(t, quick)
	for header, value := range map[string]string{
		"X-Amz-Checksum-Sha256": "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZvvIwzEkSOsiU=-3",
		"X-Amz-Checksum-Crc32":  "FeKw08M4",
		"Content-MD5":           "25f9e794323b453885f5181f1b624d0b", // not in base64
		"Digest":                "SHA-257=AAAA, MD5=",
		"Repr-Digest":           "sha-256=:AAAA:",
	} {
		if err := count(t, c, serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(header, value)
			serveRanges([]byte("123456789"))(w, r)
		}), 9); err != nil {
			t.Errorf("%s: %v", header, err)
		}
	}
	if err := count(t, c, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Amz-Checksum-Type", "COMPOSITE")
		w.Header().Set("X-Amz-Checksum-Crc32", "AAAAAA==")
		w.Header().Set("Content-Length", strconv.Itoa(9))
		serveRanges([]byte("123456789"))(w, r)
	}), 9); err != nil {
		t.Errorf("a composite checksum: %v", err)
	}
}
