package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// After github.com/gin-gonic/gin@v1.12.0/fs.go: a file system whose folders list nothing wraps each file.

type unlistedFile struct {
	http.File
}

func (unlistedFile) Readdir(int) ([]os.FileInfo, error) { return nil, nil }

type unlistedFiles struct{ http.FileSystem }

func (u unlistedFiles) Open(name string) (http.File, error) {
	f, err := u.FileSystem.Open(name)
	if err != nil {
		return nil, err
	}
	return unlistedFile{f}, nil // want hiddenfile
}

func ginFilesFlagged(l net.Listener, name string) error {
	return http.Serve(l, http.FileServer(unlistedFiles{http.Dir(filepath.Dir(name))}))
}

// unlistedFolder wraps folders only.
type unlistedFolder struct{ *os.File }

func (unlistedFolder) Readdir(int) ([]os.FileInfo, error) { return nil, nil }

type unlistedFolders struct{ http.Dir }

func (u unlistedFolders) Open(name string) (http.File, error) {
	opened, err := u.Dir.Open(name)
	if err != nil {
		return nil, err
	}
	if f, ok := opened.(*os.File); ok {
		return unlistedFolder{f}, nil
	}
	return opened, nil
}

func ginFilesFixed(l net.Listener, name string) error {
	return http.Serve(l, http.FileServer(unlistedFolders{http.Dir(filepath.Dir(name))}))
}
