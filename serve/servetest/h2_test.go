//go:build linux

package servetest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/serve"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// startTLS is start with a certificate of its own, which the returned configuration trusts.
func startTLS(t *testing.T, root string, o serve.Options) (*server, *tls.Config) {
	t.Helper()
	o.TLSCert, o.TLSKey = certificate(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(body(t, o.TLSCert))
	return start(t, root, o), &tls.Config{RootCAs: pool, NextProtos: []string{"h2"}}
}

// h2specDiffers maps the titles of h2spec's tests that net/http fails to the reason why that is
// acceptable.
var h2specDiffers = map[string]string{
	"Sends multiple values of SETTINGS_INITIAL_WINDOW_SIZE":                                        "the last of them is 1, and h2spec closes before it reads",
	"Sends a HEADERS frame that contains the connection-specific header field":                     "answered 400, instead of the stream being reset",
	`Sends a HEADERS frame that contains the TE header field with any value other than "trailers"`: "likewise",
	`Sends a HEADERS frame with the "content-length" header field which does not equal the DATA frame payload length`: "" +
		"answered 405 before the body is read",
	`Sends a HEADERS frame with the "content-length" header field which does not equal the sum of the multiple DATA frames payload length`: "" +
		"likewise",
}

// h2specRaces are the titles of h2spec's tests in which net/http may reset the stream alone, where
// h2spec wants the connection closed: the client has seen the end of the stream, and the server's
// loop has not noted yet that it was written. The frame is refused either way.
var h2specRaces = map[string]bool{
	"closed: Sends a HEADERS frame":      true,
	"closed: Sends a CONTINUATION frame": true,
}

// TestH2Spec runs the HTTP/2 conformance suite against the server.
func TestH2Spec(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	// scripts/test-setup.sh builds it here.
	t.Setenv("PATH", os.Getenv("PATH")+":"+filepath.Join(cache, "thresh", "bin"))
	h2spec := client.Program(t, "h2spec", "nothing, it is built from source")
	s, _ := startTLS(t, tree(t), serve.Options{})
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), h2spec, "-h", host, "-p", port, "-t", "-k", "-o", "3", "-P", "/100k.bin").CombinedOutput()
	counts := regexp.MustCompile(`(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed`).FindStringSubmatch(string(out))
	if counts == nil || len(counts[1]) < 3 {
		t.Fatalf("h2spec ran no tests: %v\n%s", err, out)
	}
	for _, failed := range strings.Split(string(out), "× ")[1:] {
		title, details, _ := strings.Cut(failed, "\n")
		_, title, _ = strings.Cut(title, ": ") // its number
		_, actual, _ := strings.Cut(details, "Actual: ")
		raced := h2specRaces[title] && strings.HasPrefix(actual, "RST_STREAM Frame")
		if h2specDiffers[title] == "" && !raced {
			t.Errorf("h2spec: %s\n%s", title, out)
		}
	}
	s.aliveTLS(t)
	t.Log(counts[0])
}

// aliveTLS is alive, over TLS and HTTP/2.
func (s *server) aliveTLS(t *testing.T) {
	t.Helper()
	c := &http.Client{Timeout: patience, Transport: &http.Transport{
		ForceAttemptHTTP2: true, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // we only ask whether it responds
	}}
	r, err := c.Get("https://" + s.addr + "/one")
	if err != nil {
		t.Fatalf("the server does not answer any more: %v", err)
	}
	b, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil || string(b) != "1" || r.ProtoMajor != 2 {
		t.Fatalf("%s %s %q, %v", r.Proto, r.Status, b, err)
	}
}

// TestH2Streams opens many streams on one connection: whole files, ranges, several ranges, canceled
// streams, and one that is not read while the others are.
func TestH2Streams(t *testing.T) {
	root := tree(t)
	s, trust := startTLS(t, root, serve.Options{})
	transport := &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}
	client := &http.Client{Timeout: patience, Transport: transport}
	defer client.CloseIdleConnections()
	whole := body(t, filepath.Join(root, "3m.bin"))
	fetch := func(path, ranges string) (*http.Response, error) {
		r, err := http.NewRequest("GET", "https://"+s.addr+path, nil)
		if err != nil {
			return nil, err
		}
		if ranges != "" {
			r.Header.Set("Range", ranges)
		}
		return client.Do(r)
	}
	idle, err := fetch("/3m.bin", "")
	if err != nil {
		t.Fatal(err)
	}
	var streams sync.WaitGroup
	for n := range 40 {
		streams.Go(func() {
			ranges, want := "", whole
			switch n % 4 {
			case 1:
				ranges, want = fmt.Sprintf("bytes=%d-%d", n*1000, n*50000), whole[n*1000:n*50000+1]
			case 2:
				ranges = "bytes=0-99, 1000000-1999999"
			}
			r, err := fetch("/3m.bin", ranges)
			if err != nil {
				t.Error(err)
				return
			}
			if r.ProtoMajor != 2 {
				t.Errorf("%s", r.Proto)
			}
			if n%4 == 3 { // canceled half-way, by closing
				_, err := io.CopyN(io.Discard, r.Body, int64(n)*10000)
				if err := errors.Join(err, r.Body.Close()); err != nil {
					t.Error(err)
				}
				return
			}
			got, err := io.ReadAll(r.Body)
			if err := errors.Join(err, r.Body.Close()); err != nil {
				t.Error(err)
			}
			if n%4 == 2 {
				if !bytes.Contains(got, whole[1000000:2000000]) || int64(len(got)) != r.ContentLength {
					t.Errorf("stream %d: %d bytes, promised %d", n, len(got), r.ContentLength)
				}
			} else if !bytes.Equal(got, want) {
				t.Errorf("stream %d: %d bytes, not %d, or others", n, len(got), len(want))
			}
		})
	}
	streams.Wait()
	got, err := io.ReadAll(idle.Body)
	if err := errors.Join(err, idle.Body.Close()); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("the stream that waited: %d bytes, %v", len(got), err)
	}
}

// frames is an HTTP/2 connection at the level of frames.
type frames struct {
	*http2.Framer
	conn *tls.Conn
	head *hpack.Encoder
	buf  bytes.Buffer
}

// dialFrames opens a connection with the given settings.
func dialFrames(t *testing.T, s *server, trust *tls.Config, settings ...http2.Setting) *frames {
	t.Helper()
	conn, err := tls.Dial("tcp", s.addr, trust)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it first
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	f := newFrames(conn)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteSettings(settings...); err != nil {
		t.Fatal(err)
	}
	return f
}

func newFrames(conn *tls.Conn) *frames {
	f := &frames{Framer: http2.NewFramer(conn, conn), conn: conn}
	f.head = hpack.NewEncoder(&f.buf)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return f
}

// get requests a path on a stream.
func (f *frames) get(stream uint32, path string, more ...string) error {
	f.buf.Reset()
	fields := append([]string{":method", "GET", ":scheme", "https", ":authority", "files.test", ":path", path}, more...)
	for i := 0; i < len(fields); i += 2 {
		if err := f.head.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			return err
		}
	}
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: f.buf.Bytes(), EndStream: true, EndHeaders: true})
}

// TestH2TinyWindow opens windows of 100 bytes, and grants 100 more again and again.
func TestH2TinyWindow(t *testing.T) {
	root := tree(t)
	s, trust := startTLS(t, root, serve.Options{})
	f := dialFrames(t, s, trust, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100})
	if err := f.get(1, "/100k.bin"); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for ended := false; !ended; {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatalf("after %d bytes: %v", len(got), err)
		}
		switch frame := frame.(type) {
		case *http2.DataFrame:
			if n := len(frame.Data()); n > 100 {
				t.Fatalf("%d bytes at once, in a window of 100", n)
			}
			got = append(got, frame.Data()...)
			ended = frame.StreamEnded()
			if n := uint32(len(frame.Data())); n > 0 && !ended {
				if err := errors.Join(f.WriteWindowUpdate(0, n), f.WriteWindowUpdate(1, n)); err != nil {
					t.Fatal(err)
				}
			}
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				if err := f.WriteSettingsAck(); err != nil {
					t.Fatal(err)
				}
			}
		case *http2.RSTStreamFrame, *http2.GoAwayFrame:
			t.Fatalf("after %d bytes: %v", len(got), frame)
		}
	}
	if !bytes.Equal(got, body(t, filepath.Join(root, "100k.bin"))) {
		t.Errorf("%d bytes came, or others", len(got))
	}
	s.aliveTLS(t)
}

// TestH2Floods sends frames that cost a client little: the server must continue to serve others,
// and keep nothing.
func TestH2Floods(t *testing.T) {
	s, trust := startTLS(t, tree(t), serve.Options{SendTimeout: 2 * time.Second})
	for name, flood := range map[string]func(f *frames) error{
		"settings": func(f *frames) error {
			for range 20000 {
				if err := f.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 16384}); err != nil {
					return err
				}
			}
			return nil
		},
		"pings": func(f *frames) error {
			for range 20000 {
				if err := f.WritePing(false, [8]byte{1}); err != nil {
					return err
				}
			}
			return nil
		},
		"requests that are cancelled at once": func(f *frames) error {
			for n := range uint32(3000) {
				if err := errors.Join(f.get(2*n+1, "/3m.bin"), f.WriteRSTStream(2*n+1, http2.ErrCodeCancel)); err != nil {
					return err
				}
			}
			return nil
		},
		"a header without an end": func(f *frames) error {
			if err := f.get(1, "/one"); err != nil {
				return err
			}
			if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte{0x82}}); err != nil {
				return err
			}
			piece := bytes.Repeat([]byte{0x00, 0x01, 'x', 0x01, 'y'}, 2000)
			for range 500 {
				if err := f.WriteContinuation(3, false, piece); err != nil {
					return err
				}
			}
			return nil
		},
		"a small header that unpacks to a large one": func(f *frames) error {
			f.buf.Reset()
			if err := f.head.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 3000)}); err != nil {
				return err
			}
			block := append(bytes.Clone(f.buf.Bytes()), bytes.Repeat([]byte{0xbe}, 10000)...) // 30 MB by reference
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndStream: true, EndHeaders: true})
		},
		"empty frames": func(f *frames) error {
			if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x82}, EndHeaders: true}); err != nil {
				return err
			}
			for range 20000 {
				if err := f.WriteData(1, false, nil); err != nil {
					return err
				}
			}
			return nil
		},
		"window that overflows": func(f *frames) error {
			return errors.Join(f.get(1, "/3m.bin"), f.WriteWindowUpdate(1, 1<<31-1), f.WriteWindowUpdate(1, 1<<31-1))
		},
	} {
		f := dialFrames(t, s, trust)
		_ = flood(f) // the server may close the connection
		s.aliveTLS(t)
		if err := f.conn.NetConn().(*net.TCPConn).SetLinger(0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.conn.NetConn().Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.aliveTLS(t)
}

// TestH2Stalled requests large files and grants no window: the server must give up stalled streams,
// so that they do not hold their files for ever.
func TestH2Stalled(t *testing.T) {
	s, trust := startTLS(t, tree(t), serve.Options{SendTimeout: 500 * time.Millisecond, IdleTimeout: time.Second})
	f := dialFrames(t, s, trust)
	for n := range uint32(20) {
		if err := f.get(2*n+1, "/3m.bin"); err != nil {
			t.Fatal(err)
		}
	}
	s.aliveTLS(t)
	resets := 0
	for resets < 20 {
		frame, err := f.ReadFrame()
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			t.Fatalf("%d streams of 20 were given up", resets)
		}
		if err != nil {
			break // the whole connection was given up
		}
		switch frame.(type) {
		case *http2.RSTStreamFrame:
			resets++
		case *http2.GoAwayFrame:
			resets = 20
		}
	}
	s.aliveTLS(t)
}
