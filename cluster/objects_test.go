package cluster

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
)

// objectServer serves the files of a folder with versions. Some requests fail, and some answers break off.
type objectServer struct {
	folder   string
	failures float64
	requests atomic.Int64
}

func (s *objectServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	data, err := os.ReadFile(filepath.Join(s.folder, r.URL.Path))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	switch share := rand.Float64(); {
	case share < s.failures:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case share < 2*s.failures:
		w = &breaking{ResponseWriter: w, left: len(data) / 3}
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE(data)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// breaking is an answer that breaks off.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return b.ResponseWriter.Write(p)
}

// TestObjects asks questions about objects of a server that fails now and then, and compares with files.
func TestObjects(t *testing.T) {
	Quiet()
	folder := t.TempDir()
	server := httptest.NewServer(&objectServer{folder: folder, failures: 0.04})
	defer server.Close()
	all := questions(t, folder, 32)
	remote := make([]asked, len(all))
	for i, q := range all {
		remote[i] = q
		remote[i].files = nil
		for _, name := range q.files {
			remote[i].files = append(remote[i].files, strings.Replace(name, folder, server.URL, 1))
		}
	}
	texts, _ := answered(t, newJob(t, embedded(t), Options{CellBytes: 40 << 10, RangeBytes: 80 << 10}), remote)
	for i, q := range all {
		got, want := strings.ReplaceAll(texts[i], server.URL, folder), q.text(t, t.Context())
		if got != want {
			t.Errorf("%+v\ngot  %.2000s\nwant %.2000s", q, got, want)
		}
	}
}

// TestObjectReplaced replaces an object while a job reads it, at every request in turn: the answer is that of one
// version, or an error.
func TestObjectReplaced(t *testing.T) {
	Quiet()
	folder := t.TempDir()
	versions := [][]byte{bytes.Repeat([]byte("one\n"), 100_000), bytes.Repeat([]byte("two\n\n"), 80_000)} // of one size
	counts := []int64{100_000, 160_000}
	runner := embedded(t)
	replaced := 0
	for at := int64(1); ; at++ {
		served := &objectServer{folder: folder}
		var replace sync.Once
		name := filepath.Join(folder, "object")
		if err := os.WriteFile(name, versions[0], 0o666); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if served.requests.Load() == at {
				replace.Do(func() { // another request may have come before this one is counted
					if err := os.WriteFile(name+".new", versions[1], 0o666); err != nil {
						t.Error(err)
					}
					if err := os.Rename(name+".new", name); err != nil {
						t.Error(err)
					}
				})
			}
			served.ServeHTTP(w, r)
		}))
		hits, err := countLines(t, newJob(t, runner, Options{CellBytes: 150_000, RangeBytes: 150_000}), server.URL+"/object")
		server.Close()
		switch {
		case err != nil:
			if replaced++; !strings.Contains(err.Error(), "replaced") && !strings.Contains(err.Error(), "changed") {
				t.Errorf("replaced at request %d: %v", at, err)
			}
		case hits != counts[0]:
			t.Errorf("replaced at request %d: %d lines", at, hits)
		}
		if err != nil {
			continue
		}
		if served.requests.Load() <= at { // there was no such request
			break
		}
	}
	if replaced < 3 {
		t.Errorf("%d jobs failed", replaced)
	}
}

// TestObjectsRefused names objects that workers could not read alike, or not as the library does.
func TestObjectsRefused(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.NPY"), make([]byte, 100), 0o666); err != nil {
		t.Fatal(err)
	}
	good := httptest.NewServer(&objectServer{folder: folder})
	defer good.Close()
	whole := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("a line\n"), 1000)) // no ranges, no version
	}))
	defer whole.Close()
	unversioned := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("some lines\n"))
	}))
	defer unversioned.Close()
	runner := embedded(t)
	for name, want := range map[string]string{whole.URL + "/x": "no ranges", unversioned.URL + "/x": "which version",
		good.URL + "/none": "404", strings.Replace(good.URL, "//", "//me:secret@", 1) + "/a.NPY": "password"} {
		_, err := countLines(t, newJob(t, runner, Options{}), name)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestObjectCompressed counts the lines of a compressed object.
func TestObjectCompressed(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, writeErr := z.Write(bytes.Repeat([]byte("a line\n"), 12_345))
	folder := t.TempDir()
	if err := errors.Join(writeErr, z.Close(), os.WriteFile(filepath.Join(folder, "log"), b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&objectServer{folder: folder})
	defer server.Close()
	n, err := countLines(t, newJob(t, embedded(t), Options{CellBytes: 16}), server.URL+"/log")
	if err != nil || n != 12_345 {
		t.Errorf("%d lines, %v", n, err)
	}
}

// countLines counts the lines of an input.
func countLines(t *testing.T, j *Job, name string) (n int64, err error) {
	v := run.Callbacks{Done: func(_ string, r run.Report, err error) error {
		n = r.Hits
		return err
	}}
	_, err = run.CountAll(run.With(t.Context(), NewExecutor(j)), source.Expand([]string{name}, false), run.Lines(), run.Options{}, v)
	return n, err
}
