package remote

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// TestMember asks for members of archives of all kinds of servers, and of the same archive in a file.
func TestMember(t *testing.T) {
	data := text(1_500_000)
	var archive bytes.Buffer
	archive.WriteString("#!/bin/sh\n") // it begins with a program that extracts it
	w := zip.NewWriter(&archive)
	w.SetOffset(int64(archive.Len()))
	for name, method := range map[string]uint16{"packed.csv": zip.Deflate, "a: b/plain.csv": zip.Store} {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		m.Write(data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "archive.zip")
	write(t, path, archive.Bytes())
	for kind, server := range servers {
		t.Run(kind, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/x:y/archive.zip", server(archive.Bytes()))
			mux.HandleFunc("/text", server(data))
			s := httptest.NewServer(mux)
			defer s.Close()
			c := newClient(t, quick)
			name := s.URL + "/x:y/archive.zip"
			once := kind == "no ranges" || kind == "chunked" || kind == "no version"
			for _, member := range []string{"packed.csv", "a: b/plain.csv"} {
				if once {
					if _, err := c.Open(t.Context(), name+":"+member); !errors.As(err, new(*failure.ArchiveError)) {
						t.Errorf("from a stream: %v", err)
					}
					continue
				}
				o := options.Find{Run: options.Run{ChunkBytes: 200_000}}
				want := answers(t, func() (*thresh.Input, error) { return thresh.Open(path + ":" + member) }, o)
				got := answers(t, func() (*thresh.Input, error) { return c.Open(t.Context(), name+":"+member) }, o)
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
			_, err := c.Open(t.Context(), name+":none.csv")
			if !once && (!errors.As(err, new(*failure.MemberError)) || !strings.Contains(err.Error(), name)) {
				t.Errorf("a member that is not there: %v", err)
			}
			for _, name := range []string{s.URL + "/text:member", s.URL + "/none.zip:member", s.URL + "/text:"} {
				if _, err := c.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, err := c.Open(t.Context(), name+":packed.csv", thresh.Raw); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("raw: %v", err)
			}
		})
	}
}
