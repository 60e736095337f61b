package main

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
)

// After github.com/nektos/act@v0.2.89/pkg/artifacts/server.go: artifacts are opened through an interface, as they
// are or compressed, and copied to the response.

type artifactFS struct{}

func (artifactFS) Open(name string) (fs.File, error) { return os.Open(name) }

// openArtifact opens an artifact, and sets the header of a compressed one.
func openArtifact(w http.ResponseWriter, files fs.FS, name string) (fs.File, error) {
	f, err := files.Open(name)
	if err != nil {
		if f, err = files.Open(name + ".gz__"); err == nil {
			w.Header().Add("Content-Encoding", "gzip")
		}
	}
	return f, err
}

func downloads(files fs.FS, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := openArtifact(w, files, name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		defer f.Close()
		io.Copy(w, f) // want missinglength
	}
}

func artifactFlagged(name string) http.HandlerFunc { return downloads(artifactFS{}, name) }

func downloadsFixed(files fs.FS, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := openArtifact(w, files, name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		io.Copy(w, f)
	}
}

func artifactFixed(name string) http.HandlerFunc { return downloadsFixed(artifactFS{}, name) }
