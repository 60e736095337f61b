package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func hiddenFlagged(l net.Listener, name string) error {
	return http.Serve(l, http.FileServerFS(os.DirFS(filepath.Dir(name)))) // want hiddenfile
}

func hiddenFixed(l net.Listener, name string) error {
	return http.Serve(l, http.FileServer(http.Dir(filepath.Dir(name))))
}
