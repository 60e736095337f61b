package responsewrapper

import (
	goio "io"
	"net/http"
	"os"
)

func copyTo(w http.ResponseWriter, f *os.File) (int64, error) { return goio.Copy(w, f) }

// The file imports io by another name.
type renamed struct{ http.ResponseWriter } // want `^renamed hides ReadFrom`

func renames(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(renamed{w}, r)
}
