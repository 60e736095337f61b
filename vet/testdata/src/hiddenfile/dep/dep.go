// Package dep has a file system of another package.
package dep

import (
	"io/fs"
	"net/http"
	"os"
)

// Dir returns the file system of a directory.
func Dir(name string) fs.FS { return os.DirFS(name) }

// NoLists hides the lists of directories.
type NoLists struct{ http.FileSystem }

// Open opens a file.
func (n NoLists) Open(name string) (http.File, error) {
	f, err := n.FileSystem.Open(name)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

type file struct{ http.File }

func (f file) Readdir(int) ([]fs.FileInfo, error) { return nil, nil }
