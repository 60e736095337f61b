// Package lib is what package across imports.
package lib

import (
	"io"
	"net/http"
)

type Recorder struct { // want Recorder:`ResponseWriter net/http.ResponseWriter: Write forwards$`
	http.ResponseWriter
	Bytes int
}

func (r *Recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.Bytes += n
	return n, err
}

type hidden struct{ io.Writer } // want hidden:`Writer io.Writer: Write promoted$`

func Hide(w io.Writer) io.Writer { return hidden{w} } // want Hide:`0: lib.hidden of 0$`

func Record(r *http.Request, w http.ResponseWriter) *Recorder { // want Record:`0: \*lib.Recorder of 1$`
	return &Recorder{ResponseWriter: w}
}

type Upper struct{ io.Writer } // want Upper:`Writer io.Writer: Write transforms$`

func (u Upper) Write(p []byte) (int, error) {
	q := append([]byte(nil), p...)
	return u.Writer.Write(q)
}
