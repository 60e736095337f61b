// Package store keeps files in a folder.
package store

import (
	"net/http"

	"example.com/program/upload"
)

// Folder is a store.
type Folder string

type file struct{ path string }

// Get finds a file.
func (f Folder) Get(id string) upload.Stored { return file{string(f) + id} }

func (f file) Serve(w http.ResponseWriter, r *http.Request) error {
	http.ServeFile(w, r, f.path)
	return nil
}
