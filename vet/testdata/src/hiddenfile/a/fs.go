// Package a hides files from the kernel.
package a

import (
	"embed"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing/fstest"

	"hiddenfile/dep"
)

func direct(dir string) http.Handler {
	return http.FileServerFS(os.DirFS(dir)) // want `FileServerFS hides .* use http.FileServer\(http.Dir\(…\)\)$`
}

func adapter(mux *http.ServeMux, dir string) {
	mux.Handle("/", http.FileServer(http.FS(os.DirFS(dir)))) // want `^http.FS hides the files of .*use http.Dir\(…\)$`
}

func one(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, os.DirFS("/srv"), r.URL.Path) // want `^http.ServeFileFS hides .* use http.ServeFile, which`
}

func root(dir string) (http.Handler, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return http.FileServerFS(r.FS()), nil // want `files of \(\*os.Root\).FS .* hand them to http.ServeContent$`
}

func variable(dir string) http.Handler {
	files := os.DirFS(dir)
	if dir == "" {
		files = os.DirFS("/srv")
	}
	return http.StripPrefix("/static/", http.FileServerFS(files)) // want `http.FileServerFS hides the files of os.DirFS`
}

func sub(dir string) (http.Handler, error) {
	files, err := fs.Sub(os.DirFS(dir), "public")
	if err != nil {
		return nil, err
	}
	return http.FileServerFS(files), nil // want `http.FileServerFS hides the files of os.DirFS`
}

type server struct {
	files fs.FS
}

func newServer(dir string) *server { return &server{files: os.DirFS(dir)} }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, s.files, "index.html") // want `http.ServeFileFS hides the files of os.DirFS`
}

func adapted(dir string) http.Handler {
	files := http.FS(os.DirFS(dir)) // want `http.FS hides the files of os.DirFS`
	return http.FileServer(files)
}

var published = os.DirFS("/srv/published")

func global() http.Handler {
	return http.FileServerFS(published) // want `http.FileServerFS hides the files of os.DirFS`
}

// system is an alias of the interface.
type system = fs.FS

func aliased(f system) http.Handler { return http.FileServerFS(f) } // want `FileServerFS hides the files of os.DirFS`

func aliases() http.Handler { return aliased(os.DirFS("/srv")) }

// From here on nothing is to be reported.

//go:embed fs.go
var embedded embed.FS

func embeds() http.Handler { return http.FileServerFS(embedded) }

func maps() http.Handler { return http.FileServerFS(fstest.MapFS{}) }

func dir(name string) http.Handler { return http.FileServer(http.Dir(name)) }

func anyFS(files fs.FS) http.Handler { return http.FileServerFS(files) }

// The directory is for those who develop the program.
func develop(live bool) http.Handler {
	var files fs.FS = embedded
	if live {
		files = os.DirFS(".")
	}
	return http.FileServerFS(files)
}

// The transport of a client reads files without a connection.
func transport() http.RoundTripper {
	return http.NewFileTransport(http.FS(os.DirFS("/")))
}

func lists() ([]fs.DirEntry, error) { return fs.ReadDir(os.DirFS("/"), ".") }

func recorded(r *http.Request) {
	rec := httptest.NewRecorder()
	http.ServeFileFS(rec, r, os.DirFS("/srv"), "index.html")
}

func ignored(dir string) http.Handler {
	return http.FileServerFS(os.DirFS(dir)) //thresh:ignore hiddenfile a few small files
}

func joined(w http.ResponseWriter, r *http.Request) {
	http.ServeFile(w, r, filepath.Join("/srv", "index.html"))
}

func foreign(name string) http.Handler { return http.FileServerFS(dep.Dir(name)) } // what Dir returns is not known here
