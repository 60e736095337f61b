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

	"github.com/thresh-dev/thresh/question"
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
	asked := make([]Asked, len(all))
	for i, q := range all {
		asked[i].Question = &all[i].Question
		for _, name := range q.files {
			asked[i].Inputs = append(asked[i].Inputs, strings.Replace(name, folder, server.URL, 1))
		}
	}
	j := &Job{Runner: embedded(t), Options: Options{CellBytes: 40 << 10, RangeBytes: 80 << 10}}
	answers, err := j.AskAll(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range all {
		got, want := strings.ReplaceAll(q.text(t, answers[i]), server.URL, folder), q.library(t)
		if got != want {
			t.Errorf("%+v\ngot  %.2000s\nwant %.2000s", q, got, want)
		}
		if err := answers[i].Close(); err != nil {
			t.Error(err)
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
		j := &Job{Runner: runner, Options: Options{CellBytes: 150_000, RangeBytes: 150_000}}
		answer, err := j.Ask(t.Context(), &Question{Verb: Count, Lines: true}, []string{server.URL + "/object"})
		server.Close()
		switch {
		case err != nil:
			if replaced++; !strings.Contains(err.Error(), "replaced") && !strings.Contains(err.Error(), "changed") {
				t.Errorf("replaced at request %d: %v", at, err)
			}
		case answer.Total.Hits != counts[0]:
			t.Errorf("replaced at request %d: %d lines", at, answer.Total.Hits)
		}
		if err != nil {
			continue
		}
		if err := answer.Close(); err != nil {
			t.Error(err)
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
	for name, want := range map[string]string{whole.URL + "/x": "no ranges", unversioned.URL + "/x": "which version", good.URL + "/a.NPY": "tensors",
		good.URL + "/none": "404", strings.Replace(good.URL, "//", "//me:secret@", 1) + "/a.NPY": "password"} {
		q := &Question{Verb: Count, Column: &question.Values{Type: "f32"}, Stats: true}
		_, err := (&Job{Runner: runner}).Ask(t.Context(), q, []string{name})
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
	answer, err := (&Job{Runner: embedded(t), Options: Options{CellBytes: 16}}).Ask(t.Context(), &Question{Verb: Count, Lines: true},
		[]string{server.URL + "/log"})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Total.Hits != 12_345 {
		t.Errorf("%d lines", answer.Total.Hits)
	}
	if err := answer.Close(); err != nil {
		t.Error(err)
	}
}
