// Package across has wrappers of wrappers of another package.
package across

import (
	"io"
	"net/http"

	"lib"
)

type twice struct{ *lib.Recorder } // want twice:`Recorder \*lib.Recorder: Write promoted$`

type upper struct{ u lib.Upper } // want upper:`u lib.Upper: Write transforms$`

func (u upper) Write(p []byte) (int, error) { return u.u.Write(p) }

func hide(w io.Writer, n int) (int, io.Writer) { // want hide:`1: lib.hidden of 0$`
	return n, lib.Hide(w)
}

func record(w http.ResponseWriter, r *http.Request) http.ResponseWriter { // want record:`0: \*lib.Recorder of 0$`
	return lib.Record(r, w)
}

func both(w http.ResponseWriter) http.ResponseWriter { // want both:`0: \*across.twice of 0$`
	return &twice{&lib.Recorder{ResponseWriter: w}}
}
