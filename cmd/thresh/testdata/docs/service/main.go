// Service hands out the files of a folder, and counts their bytes.
package main

import (
	"log"
	"net/http"
	"sync/atomic"
)

var sent atomic.Int64

// counted counts what handlers write.
type counted struct{ http.ResponseWriter }

func (c counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	sent.Add(int64(n))
	return n, err
}

func main() {
	files := http.FileServer(http.Dir("."))
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(counted{w}, r)
	})))
}
