// Package dep has names of headers, and functions that get a response.
package dep

import "net/http"

// Names of headers.
const (
	Encoding = "Content-Encoding"
	Length   = "Content-Length"
)

// Prepare may set anything.
func Prepare(w http.ResponseWriter) {}
