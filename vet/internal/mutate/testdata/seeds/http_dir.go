// case: FileServer(Dir)
package seed

import (
	"net/http"
)

func routes(mux *http.ServeMux) {
	mux.Handle("/static/", http.StripPrefix("/static/", http.FileServer(http.Dir("public"))))
}

func one(w http.ResponseWriter, r *http.Request) {
	http.ServeFile(w, r, "public/robots.txt")
}
