package versus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/processes"
)

// TestMain lets the test binary run as a child, like the lab itself.
func TestMain(m *testing.M) {
	if handled, status := Child(os.Args[1:]); handled {
		os.Exit(status)
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		fmt.Fprintf(os.Stderr, "unknown task %q\n", os.Args[1:]) // and not all tests again
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// servedFolder starts a server with one file, and returns its address, the URL path and the file.
func servedFolder(t *testing.T, size int64) (addr, path string, file *pagecache.File) {
	t.Helper()
	b := &bench{data: &data{folder: t.TempDir()}}
	file = b.servedFile("file", size)
	t.Cleanup(func() { file.Close() })
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file.Name))))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), "/" + filepath.Base(file.Name), file
}

func runChild(t *testing.T, args ...string) work {
	t.Helper()
	var out bytes.Buffer
	if err := child(args, &out); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	w, err := parseWork(out.String())
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return w
}

func TestDownload(t *testing.T) {
	const size = 3<<20 + 17
	addr, path, _ := servedFolder(t, size)
	self := strconv.Itoa(os.Getpid())
	if w := runChild(t, "download", addr, path, "", "3", "2", self); w.Bytes != 6*size {
		t.Errorf("%d bytes over 3 connections, twice each, want %d", w.Bytes, 6*size)
	}
	if w := runChild(t, "download", addr, path, "bytes=100-", "1", "1", self); w.Bytes != size-100 {
		t.Errorf("%d bytes of a range, want %d", w.Bytes, size-100)
	}
	several := runChild(t, "download", addr, path, "bytes=0-9,1000-1999", "1", "1", self)
	if several.Bytes <= 1010 || several.Bytes > 1010+headMax {
		t.Errorf("%d bytes of several ranges with their headers", several.Bytes)
	}
	for _, bad := range [][]string{
		{"download", addr, "/absent", "", "1", "1", self},
		{"download", addr, path, "bytes=9999999-", "1", "1", self},
		{"download", addr, path, "", "1", "1", "none"},
		{"download", addr, path, "", "-1", "1", self},
		{"download"},
	} {
		if err := child(bad, io.Discard); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestShortAnswersFail checks that a truncated answer is an error.
func TestShortAnswersFail(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Write(make([]byte, 60000)) // then the handler returns, which closes the connection too early
	}))
	defer s.Close()
	addr := strings.TrimPrefix(s.URL, "http://")
	err := child([]string{"download", addr, "/", "", "1", "1", strconv.Itoa(os.Getpid())}, io.Discard)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want io.ErrUnexpectedEOF", err)
	}
}

func TestProbe(t *testing.T) {
	const size = 4096
	addr, path, _ := servedFolder(t, size)
	var out bytes.Buffer
	if err := child([]string{"probe", addr, path, "4096", "20"}, &out); err != nil {
		t.Fatal(err)
	}
	var l latency
	if err := json.Unmarshal(out.Bytes(), &l); err != nil || l.P50 <= 0 || l.P99 < l.P50 {
		t.Errorf("latency %+v, error %v", l, err)
	}
	if err := child([]string{"probe", addr, path, "4095", "1"}, io.Discard); err == nil {
		t.Error("no error for an answer of another length")
	}
}

// TestSlow checks that slow downloads are slow, and right to their end.
func TestSlow(t *testing.T) {
	t.Parallel()
	const conns = 30
	addr, path, file := servedFolder(t, 2<<20)
	stdin, enough := io.Pipe()
	lines, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := slow{addr, path, file.Name, conns, 3}.run(stdin, out)
		out.CloseWithError(errors.Join(io.EOF, err))
		ended <- err
	}()
	d := json.NewDecoder(lines)
	var s slowState
	if err := d.Decode(&s); err != nil || s.Conns != conns || s.Least <= 0 || s.Finished != 0 {
		t.Fatalf("at first %+v, error %v", s, err)
	}
	enough.Close()
	if err := d.Decode(&s); err != nil || s.Conns != conns || s.Finished != 3 {
		t.Errorf("in the end %+v, error %v", s, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestSlowSeesWrongBytes serves other bytes than expected.
func TestSlowSeesWrongBytes(t *testing.T) {
	t.Parallel()
	addr, path, file := servedFolder(t, 1<<20)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, make([]byte, file.Bytes), 0o644); err != nil {
		t.Fatal(err)
	}
	err := slow{addr, path, other, 3, 1}.run(strings.NewReader(""), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "not the file's bytes") {
		t.Errorf("error %v, want one about wrong bytes", err)
	}
}

// TestSameParts checks that wrong bytes, lengths and offsets are detected, in whole files and ranges.
func TestSameParts(t *testing.T) {
	addr, path, file := servedFolder(t, 1<<20)
	s := &server{name: "server", addr: addr}
	for _, q := range questions(file.Bytes) {
		if err := s.sameParts(t.Context(), path, q, file); err != nil {
			t.Errorf("%s: %v", q.what, err)
		}
		q.bytes++
		if err := s.sameParts(t.Context(), path, q, file); err == nil {
			t.Errorf("%s: no error for a wrong length", q.what)
		}
	}
	_, _, other := servedFolder(t, 1<<20)
	f, err := os.OpenFile(other.Name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("wrong"), 1<<19); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, q := range questions(file.Bytes) {
		if err := s.sameParts(t.Context(), path, q, other); err == nil {
			t.Errorf("%s: no error for wrong bytes", q.what)
		}
	}
}

// TestStream sends bytes through the copy loop, and through a relay that corrupts them.
func TestStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var addrs []string
	for range 2 {
		addr, err := processes.FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, addr)
	}
	ended := make(chan error, 2)
	go func() { ended <- upstream(ctx, addrs[0]) }()
	go func() { ended <- copyRelay(ctx, addrs[1], addrs[0]) }()
	defer func() {
		cancel()
		for range 2 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}()
	for _, addr := range addrs {
		waitFor(t, addr)
	}
	self := strconv.Itoa(os.Getpid())
	for _, kind := range []string{"stream", "stream-check"} {
		if w := runChild(t, kind, addrs[1], "3", "3000000", "5", self); w.Bytes != 9000000 {
			t.Errorf("%s: %d bytes, want 9,000,000", kind, w.Bytes)
		}
	}
	spoiler, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer spoiler.Close()
	go func() {
		conn, err := spoiler.Accept()
		if err != nil {
			return // the test is over
		}
		defer conn.Close()
		io.CopyN(io.Discard, conn, 8)
		io.CopyN(conn, zeros{}, busyBytes)
		io.Copy(io.Discard, conn) // until the client closes the connection
	}()
	err = child([]string{"stream-check", spoiler.Addr().String(), "1", "1000", "0", self}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "wrong bytes") {
		t.Errorf("error %v, want that bytes are wrong", err)
	}
}

func waitFor(t *testing.T, addr string) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp4", addr)
		if err == nil {
			conn.Close()
			return
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatal(err)
		}
	}
}
