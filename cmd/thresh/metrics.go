package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// serveMetrics serves /metrics on l until stop is called. It reports errors to complain.
func serveMetrics(l net.Listener, h http.Handler, complain func(error)) (stop func()) {
	mux := http.NewServeMux()
	mux.Handle("/metrics", h)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			complain(fmt.Errorf("serve metrics: %w", err))
		}
	}()
	return func() {
		if err := server.Close(); err != nil {
			complain(err)
		}
		<-done
	}
}
