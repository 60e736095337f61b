package main

import (
	"io"
	"net/http"
	"os"
	"time"
)

// After github.com/caddyserver/caddy/v2@v2.11.9/modules/caddyhttp/idletimeout.go: a response renews its deadline
// after each part of a body, and limits the source to cut the parts.

const partBytes = 1 << 20

// forwardingResponse is a wrapper that forwards ReadFrom.
type forwardingResponse struct{ http.ResponseWriter }

func (f *forwardingResponse) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(f.ResponseWriter, r)
}

type idleResponse struct {
	*forwardingResponse
	idle time.Duration
	sent int64
}

func (w *idleResponse) renew() {
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.idle))
}

func (w *idleResponse) ReadFrom(r io.Reader) (int64, error) {
	var total int64
	for {
		w.renew()
		n, err := w.forwardingResponse.ReadFrom(io.LimitReader(r, partBytes)) // want nestedlimit
		total += n
		w.sent += n
		if err != nil || n < partBytes {
			return total, err
		}
	}
}

func idleFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		i := &idleResponse{&forwardingResponse{w}, time.Minute, 0}
		http.ServeContent(i, r, "data", time.Time{}, f)
	}
}

type idleResponseFixed struct {
	*forwardingResponse
	idle time.Duration
	sent int64
}

func (w *idleResponseFixed) renew() {
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.idle))
}

func (w *idleResponseFixed) ReadFrom(r io.Reader) (int64, error) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	var total int64
	for limited.N > 0 {
		w.renew()
		part := min(limited.N, partBytes)
		n, err := w.forwardingResponse.ReadFrom(&io.LimitedReader{R: limited.R, N: part})
		total += n
		w.sent += n
		limited.N -= n
		if err != nil || n < part {
			return total, err
		}
	}
	return total, nil
}

func idleFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		i := &idleResponseFixed{&forwardingResponse{w}, time.Minute, 0}
		http.ServeContent(i, r, "data", time.Time{}, f)
	}
}
