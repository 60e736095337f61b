package a

import (
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/julienschmidt/httprouter"
)

type params []string

// folders opens files as an interface.
type folders struct{}

func (folders) Open(name string) (fs.File, error) { return os.Open(name) }

func routes(add func(httprouter.Handle), files fs.FS) {
	add(func(w http.ResponseWriter, _ *http.Request, p httprouter.Params) {
		f, err := files.Open(p[0].Value)
		if err != nil {
			f, err = files.Open(p[0].Value + ".gz")
			if err != nil {
				panic(err)
			}
			w.Header().Add("Content-Encoding", "gzip")
		}
		io.Copy(w, f) // want `io.Copy of a file to a ResponseWriter without Content-Length`
	})
}

func _() { routes(func(httprouter.Handle) {}, folders{}) }

// A function with parameters of its own may be called by another package, which sets the length.
func (folders) Serve(w http.ResponseWriter, _ *http.Request, p params) {
	f, err := os.Open(p[0])
	if err != nil {
		panic(err)
	}
	io.Copy(w, f)
}

func (folders) Routed(w http.ResponseWriter, _ *http.Request, p httprouter.Params) error {
	f, err := os.Open(p[0].Value)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}
