package main

import (
	"io"
	"net/http"
	"os"
	"strconv"
)

func sectionFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, size, err := opened(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		io.Copy(w, io.NewSectionReader(f, 0, size)) // want hiddenfile
	}
}

func sectionFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, size, err := opened(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		io.CopyN(w, f, size)
	}
}

// opened returns an open file and its size.
func opened(name string) (*os.File, int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
