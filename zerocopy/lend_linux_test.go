package zerocopy_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// lendSeen is what a client and the writer in between saw.
type lendSeen struct {
	status int
	header http.Header
	bytes  int
	body   [32]byte
	err    string // of the client
	notes  string // of the writer in between
	copied string // the error of the copy
}

// lendGet serves one request through the writer of the case, and returns what was seen, and how many
// bytes the hook on the response counted.
func lendGet(t *testing.T, c lendCase, ours, hookedListener bool, request http.Header,
	serve func(w http.ResponseWriter, r *http.Request) error,
) (lendSeen, *zerocopy.Counter) {
	t.Helper()
	var seen lendSeen
	var counter zerocopy.Counter
	done := make(chan struct{})
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		w, end := c.wrap(w)
		defer func() { seen.notes = end() }()
		if ours {
			w = zerocopy.NewResponseWriter(w, r, zerocopy.Count(&counter))
		}
		if err := serve(w, r); err != nil {
			seen.copied = err.Error()
		}
	})
	if ours {
		handler = zerocopy.NewHandler(handler)
	}
	srv := httptest.NewUnstartedServer(handler)
	if hookedListener {
		srv.Listener = zerocopy.NewListener(srv.Listener, func(net.Conn) zerocopy.Hooks { return zerocopy.Hooks{} })
	}
	srv.Start()
	defer srv.Close()
	transport := srv.Client().Transport.(*http.Transport)
	transport.DisableCompression = true
	r := must(http.NewRequest(http.MethodGet, srv.URL+"/data", nil))
	for k, v := range request {
		r.Header[k] = v
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		seen.err = err.Error()
	}
	<-done
	res.Header.Del("Date")
	seen.status, seen.header, seen.bytes, seen.body = res.StatusCode, res.Header, len(body), sha256.Sum256(body)
	return seen, &counter
}

func (s lendSeen) equal(o lendSeen) bool { return fmt.Sprint(s) == fmt.Sprint(o) }

// Through any writer a client gets what it gets without this package, the writer notes the same, and
// where the writer passes on the bytes they go by sendfile.
func TestLending(t *testing.T) {
	f, _ := made(t, 5<<20+17)
	sources := []struct {
		name   string
		listen bool // net/http needs a connection of this package
		open   func() io.ReadSeeker
	}{
		{"file", false, func() io.ReadSeeker { must(f.Seek(0, io.SeekStart)); return f }},
		{"ReadSeeker", false, func() io.ReadSeeker { must(f.Seek(0, io.SeekStart)); return zerocopy.NewReadSeeker(f) }},
		{"Section", true, func() io.ReadSeeker { return zerocopy.NewSection(f, 1001, 5<<20-1001, make(zerocopy.Semaphore, 1)) }},
		{"SectionReader", true, func() io.ReadSeeker { return io.NewSectionReader(f, 1001, 5<<20-1001) }},
	}
	n := 0
	for _, c := range lendCases {
		for _, src := range sources {
			for _, request := range []http.Header{nil, {"Range": {"bytes=4097-4200000"}}} {
				if n++; testing.Short() && n%3 != 0 { // each source and request has its turn
					continue
				}
				name := fmt.Sprintf("%s, %s, %v", c.name, src.name, request)
				serve := func(w http.ResponseWriter, r *http.Request) error {
					http.ServeContent(w, r, "data", time.Time{}, src.open())
					return nil
				}
				want, _ := lendGet(t, c, false, src.listen, request, serve)
				got, counter := lendGet(t, c, true, src.listen, request, serve)
				if !got.equal(want) {
					t.Errorf("%s: %+v; without this package %+v", name, got, want)
				}
				sent := counter.Bytes(zerocopy.BySendfile)
				if c.fast && sent < counter.Total()-33<<10 || c.fast && sent < 2_000_000 {
					t.Errorf("%s: %d of %d bytes by sendfile", name, sent, counter.Total())
				}
				if !c.fast && sent > 2_200_000 { // the one piece that showed that it is not fast
					t.Errorf("%s: %d of %d bytes by sendfile", name, sent, counter.Total())
				}
			}
		}
	}
}

// All sizes round the ones at which the way changes, by io.Copy and Copy, with file offsets.
func TestLendingSizes(t *testing.T) {
	const slice, buffer, window = 2 << 20, 32 << 10, 64 << 20
	f, _ := made(t, window+slice+buffer+2)
	counting := lendCases[1]
	for _, edge := range []int64{0, 1, 512, buffer, buffer + 4096, slice, slice + buffer, window, window + buffer} {
		for _, size := range []int64{edge - 1, edge, edge + 1} {
			if size < 0 {
				continue
			}
			for _, off := range []int64{0, 1, 4095} {
				offset := int64(-1)
				serve := func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "application/octet-stream")
					w.Header().Set("Content-Length", strconv.FormatInt(min(size, window+slice+buffer+2-off), 10))
					must(f.Seek(off, io.SeekStart))
					_, err := io.Copy(w, io.LimitReader(f, size))
					offset = must(f.Seek(0, io.SeekCurrent))
					return err
				}
				want, _ := lendGet(t, counting, false, false, nil, serve)
				wantOffset := offset
				got, counter := lendGet(t, counting, true, false, nil, serve)
				if !got.equal(want) || offset != wantOffset {
					t.Errorf("%d from %d: %+v, at %d; without this package %+v, at %d", size, off, got, offset, want, wantOffset)
				}
				if counter.Total() != int64(got.bytes) || counter.Bytes(zerocopy.ByCopy) > buffer {
					t.Errorf("%d from %d: %d counted, %d copied", size, off, counter.Total(), counter.Bytes(zerocopy.ByCopy))
				}
			}
		}
	}
}

// A file that becomes shorter while it is sent ends the copy; also while a writer reads the mapping.
func TestLendingTruncated(t *testing.T) {
	for _, name := range []string{"counting", "hashing", "teeing"} {
		c := lendCases[slices.IndexFunc(lendCases, func(c lendCase) bool { return c.name == name })]
		for _, at := range []int64{2 << 20, 3_000_001, 5 << 20} {
			f, _ := made(t, 8<<20)
			shrink := &cutting{at: at, f: f}
			var copied error
			var n int64
			seen, _ := lendGet(t, c, true, false, nil, func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Length", "8388608")
				n, copied = io.Copy(w, zerocopy.NewReader(f, shrink))
				return copied
			})
			if seen.err == "" || seen.status != http.StatusOK || int64(seen.bytes) < 32<<10 || int64(seen.bytes) > 8<<20-1 {
				t.Errorf("%s cut at %d: %+v, %d, %v", name, at, seen, n, copied)
			}
			if name == "counting" && copied != nil {
				t.Errorf("%s cut at %d: %v: a file that ends early is no error", name, at, copied)
			}
			if name == "counting" && seen.notes != fmt.Sprint(200, " ", n) {
				t.Errorf("cut at %d: %d copied, counted %s", at, n, seen.notes)
			}
		}
	}
}

// cutting shortens the file in the middle of the transfer, before a slice whose pages were mapped.
type cutting struct {
	at, seen int64
	f        *os.File
	done     bool
}

func (c *cutting) Before(_ context.Context, want int64) (int64, error) {
	if c.seen > 2<<20 && !c.done {
		c.done = true
		return want, os.Truncate(c.f.Name(), c.at/2)
	}
	return want, nil
}

func (c *cutting) After(n int64, _ zerocopy.Method) { c.seen += n }

// What Copy and Path say about lending.
func TestLendingReport(t *testing.T) {
	f, _ := made(t, 4<<20)
	for _, c := range []struct {
		name   string
		length bool
		want   zerocopy.Method
		reason string
	}{
		{"counting", true, zerocopy.BySendfile, ""},
		{"counting", false, zerocopy.ByCopy, "a body without Content-Length is chunked in HTTP/1.1: set the header"},
		{"a copy", true, zerocopy.ByCopy, "the *zerocopy_test.copyingWriter did not pass on the bytes as they were"},
	} {
		var route zerocopy.Route
		var result zerocopy.Result
		writer := lendCases[slices.IndexFunc(lendCases, func(l lendCase) bool { return l.name == c.name })]
		lendGet(t, writer, true, false, nil, func(w http.ResponseWriter, _ *http.Request) (err error) {
			if c.length {
				w.Header().Set("Content-Length", strconv.Itoa(4<<20))
			}
			must(f.Seek(0, io.SeekStart))
			route = zerocopy.Path(w, f)
			result, err = zerocopy.Copy(w, f)
			return err
		})
		if result.Total() != 4<<20 || result.Bytes[c.want] < 4<<20-32<<10 || result.Reason != c.reason {
			t.Errorf("%s, length %v: %+v", c.name, c.length, result)
		}
		if c.name == "counting" && (route.Method != c.want || !strings.HasPrefix(route.Reason, cmp.Or(c.reason, "it depends on "))) {
			t.Errorf("%s, length %v: %+v", c.name, c.length, route)
		}
		if c.want == zerocopy.BySendfile && result.Calls[c.want] != 2 {
			t.Errorf("%s: %d calls for 4 MiB", c.name, result.Calls[c.want])
		}
	}
}

// Only a writer that has just passed on what it got is lent pages, no mapping stays, and what it did not
// pass on is reported as copied.
func TestLendingStops(t *testing.T) {
	f, _ := made(t, 8<<20)
	var small, once *skippingWriter
	for _, c := range []struct {
		name    string
		wrap    func(w http.ResponseWriter) http.ResponseWriter
		largest func() int
		want    int
	}{
		{"a writer that copies all", func(w http.ResponseWriter) http.ResponseWriter {
			small = &skippingWriter{inner: inner{w}, writes: 1, all: true}
			return small
		}, func() int { return small.largest }, 32 << 10},
		{"a writer that copies all but the first", func(w http.ResponseWriter) http.ResponseWriter {
			once = &skippingWriter{inner: inner{w}, all: true}
			return once
		}, func() int { return once.largest }, 2 << 20},
	} {
		var result zerocopy.Result
		lendGet(t, lendCase{wrap: func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
			return c.wrap(w), func() string { return "" }
		}}, true, false, nil, func(w http.ResponseWriter, _ *http.Request) (err error) {
			w.Header().Set("Content-Length", strconv.Itoa(8<<20))
			must(f.Seek(0, io.SeekStart))
			result, err = zerocopy.Copy(w, f)
			return err
		})
		if result.Bytes[zerocopy.ByCopy] != 8<<20 || result.Reason == "" || c.largest() != c.want {
			t.Errorf("%s: %+v, the largest write %d", c.name, result, c.largest())
		}
	}
	// One lent write, then ordinary ones: 1 + 1 + (8 MiB - 32 KiB - 2 MiB) / 32 KiB.
	if once.writes != 2+191 {
		t.Errorf("%d writes", once.writes)
	}
	if bytes.Contains(must(os.ReadFile("/proc/self/maps")), []byte(f.Name())) {
		t.Error("the file is still mapped")
	}
}
