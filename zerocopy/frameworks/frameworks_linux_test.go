package frameworks_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// childOf names a file for the cases to serve. If it is set, the test binary runs them.
const childOf = "FRAMEWORKS_FILE"

const fileBytes = 8 << 20

func TestMain(m *testing.M) {
	if path := os.Getenv(childOf); path != "" {
		runCases(path)
		return
	}
	os.Exit(m.Run())
}

// outcome is what a client and the framework saw of one response.
type outcome struct {
	Case   string
	Status int
	Header http.Header
	Bytes  int64
	Body   string
	Notes  string // what the framework counted or logged
}

// TestFrameworks compares each case with and without zerocopy.
func TestFrameworks(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is missing: scripts/test-setup.sh installs it")
	}
	dir := t.TempDir()
	path, log := filepath.Join(dir, "data.bin"), filepath.Join(dir, "calls")
	data := make([]byte, fileBytes)
	for i := range data {
		data[i] = byte(i>>8 ^ i*7)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-qq", "--seccomp-bpf", "-s", "200", "-o", log,
		"-e", "trace=sendfile,openat", os.Args[0])
	cmd.Env = append(os.Environ(), childOf+"="+path, "GIN_MODE=release")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the cases: %v\n%s", err, stderr.String())
	}
	sent := sentBytes(t, log)
	results := map[string]outcome{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var o outcome
		if err := d.Decode(&o); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		results[o.Case] = o
	}
	for _, c := range cases {
		for _, kind := range requests {
			without, with := results[kind.name+" "+c.name+" without"], results[kind.name+" "+c.name+" with"]
			name := without.Case
			without.Case, with.Case = "", ""
			packed := c.kind == compresses && kind.header.Get("Accept-Encoding") != ""
			if packed != (without.Header.Get("Content-Encoding") == "gzip") {
				t.Errorf("%s: %v", name, without.Header)
			}
			if c.kind == miscounts && kind.bytes > 0 {
				if without.Notes == with.Notes {
					t.Errorf("%s: notes %s: it counts now", name, without.Notes)
				}
				without.Notes = fmt.Sprint(kind.status, " ", kind.bytes)
			}
			if fmt.Sprint(without) != fmt.Sprint(with) {
				t.Errorf("%s: with zerocopy\n%+v\n%+v", name, with, without)
			}
			if without.Status != kind.status || without.Bytes == 0 != (kind.bytes == 0) {
				t.Errorf("%s: status %d, %d bytes", name, without.Status, without.Bytes)
			}
			var want int64 // but for one buffer
			if !packed {
				want = max(kind.bytes-33<<10, 0)
			}
			before, after := sent[kind.name+" "+c.name+" without"], sent[kind.name+" "+c.name+" with"]
			if after < want || want == 0 && after != 0 {
				t.Errorf("%s: %d bytes by sendfile with zerocopy, not %d", name, after, want)
			}
			if c.kind == loses && before != 0 {
				t.Errorf("%s: %d bytes by sendfile without zerocopy: it needs that no more", name, before)
			}
			t.Logf("%-40s sendfile: %8d without, %8d with zerocopy; noted %s", name, before, after, with.Notes)
		}
	}
}

// sentBytes reads strace's log: the bytes of sendfile of each case, which begins with the open of a
// file that does not exist.
func sentBytes(t *testing.T, log string) map[string]int64 {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := regexp.MustCompile(`sendfile(?:\(| resumed>).*= (\d+)`)
	begin := regexp.MustCompile(`openat\(.*"/begin/(.*)", `)
	all, current := map[string]int64{}, ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if m := begin.FindStringSubmatch(lines.Text()); m != nil {
			current = strings.ReplaceAll(m[1], "|", "/")
		} else if m := call.FindStringSubmatch(lines.Text()); m != nil {
			n, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[current] += n
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// requests are the requests of each case.
var requests = []struct {
	name   string
	method string
	header http.Header
	status int
	bytes  int64
}{
	{"GET", "GET", http.Header{"Accept-Encoding": {"gzip"}}, 200, fileBytes},
	{"range", "GET", http.Header{"Range": {"bytes=5-7000004"}}, 206, 7_000_000},
	{"HEAD", "HEAD", nil, 200, 0},
	{"not modified", "GET", http.Header{"If-Modified-Since": {"Fri, 01 Jan 2100 00:00:00 GMT"}}, 304, 0},
}

func runCases(path string) {
	enc := json.NewEncoder(os.Stdout)
	for _, c := range cases {
		for _, kind := range requests {
			for _, with := range []string{"without", "with"} {
				name := kind.name + " " + c.name + " " + with
				if f, err := os.Open("/begin/" + strings.ReplaceAll(name, "/", "|")); err == nil {
					f.Close()
				}
				var notes bytes.Buffer
				handler, ended := c.server(path, with == "with", &notes), make(chan struct{})
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer close(ended)
					handler.ServeHTTP(w, r)
				}))
				transport := srv.Client().Transport.(*http.Transport)
				transport.DisableCompression = true
				req, err := http.NewRequest(kind.method, srv.URL+"/data.bin", nil)
				check(err)
				for k, v := range kind.header {
					req.Header[k] = v
				}
				res, err := srv.Client().Do(req)
				check(err)
				sum := sha256.New()
				n, err := io.Copy(sum, struct{ io.Reader }{res.Body})
				check(err)
				res.Body.Close()
				<-ended // a handler may notice that its connection is closed
				srv.Close()
				res.Header.Del("Date")
				check(enc.Encode(outcome{name, res.StatusCode, res.Header, n, fmt.Sprintf("%x", sum.Sum(nil)), notes.String()}))
			}
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
