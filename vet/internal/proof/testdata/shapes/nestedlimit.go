package main

import (
	"io"
	"net/http"
	"os"
	"time"
)

const sliceBytes = 1 << 20

// slicedWriter renews the deadline for each slice of a response.
type slicedWriter struct {
	http.ResponseWriter
	renew func()
}

func (s *slicedWriter) ReadFrom(r io.Reader) (total int64, err error) {
	for {
		s.renew()
		n, err := io.Copy(s.ResponseWriter, io.LimitReader(r, sliceBytes)) // want nestedlimit
		total += n
		if err != nil || n < sliceBytes {
			return total, err
		}
	}
}

func nestedFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		http.ServeContent(&slicedWriter{w, renewal(w)}, r, "data", time.Time{}, f)
	}
}

type slicedFixed struct {
	http.ResponseWriter
	renew func()
}

func (s *slicedFixed) ReadFrom(r io.Reader) (total int64, err error) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	for limited.N > 0 {
		s.renew()
		slice := &io.LimitedReader{R: limited.R, N: min(limited.N, sliceBytes)}
		want := slice.N
		n, err := io.Copy(s.ResponseWriter, slice)
		total += n
		limited.N -= n
		if err != nil || n < want {
			return total, err
		}
	}
	return total, nil
}

func nestedFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		http.ServeContent(&slicedFixed{w, renewal(w)}, r, "data", time.Time{}, f)
	}
}

// renewal returns a function that gives a client another minute.
func renewal(w http.ResponseWriter) func() {
	return func() { http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute)) }
}
