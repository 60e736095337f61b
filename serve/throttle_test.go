package serve

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"
)

// TestShortage: while descriptors are short every request fails, which is one report a second; other errors are reported
// one by one.
func TestShortage(t *testing.T) {
	r := start(t, nil)
	for range 100 {
		r.logServerError(fmt.Errorf("open small.txt: %w", syscall.EMFILE))
	}
	if n := r.errs.containing("small.txt"); n != 1 {
		t.Errorf("100 failures for want of descriptors are %d reports at once", n)
	}
	for range 3 {
		r.logServerError(errors.New("the disk is broken"))
	}
	if n := r.errs.containing("broken"); n != 3 {
		t.Errorf("3 other errors are %d reports", n)
	}
}

// TestErrorsOfClients: clients that break HTTP/2 are counted, and cause a report a second.
func TestErrorsOfClients(t *testing.T) {
	r := startTLS(t)
	const clients = 50
	began := time.Now()
	for range clients {
		c := r.dialH2()
		if err := c.WriteRawFrame(0, 0, 0, []byte("x")); err != nil { // DATA of no stream
			t.Fatal(err)
		}
		if _, _, code := c.response(t, 0); code != 1 {
			t.Errorf("error code %v", code)
		}
		c.conn.Close()
	}
	if err := r.stop(patience); err != nil {
		t.Fatal(err)
	}
	// One at the beginning of each second, and one in the end.
	if n, most := r.errs.containing(""), 2+int(time.Since(began)/time.Second); n < 2 || n > most {
		t.Errorf("%d reports of %d clients in %v: %v", n, clients, time.Since(began), r.errs.all)
	}
	r.counts(`thresh_serve_http2_errors_total{error="frame_data_stream_0"}`, clients)
}
