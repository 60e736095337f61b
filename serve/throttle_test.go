package serve

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// TestThrottle: of many errors the first is reported at once, and the rest as one with their number.
func TestThrottle(t *testing.T) {
	var reported errorList
	h := newThrottle(time.Hour, reported.add)
	h.add(errors.New("first"))
	if n := reported.containing("first"); n != 1 {
		t.Errorf("%d reports at once", n)
	}
	for i := range 100 {
		h.add(fmt.Errorf("error %d", i))
	}
	if n := len(reported.all); n != 1 {
		t.Errorf("%d reports within the interval", n)
	}
	h.next()
	if n := reported.containing("error 99 (and 99 more such errors in the last 1h0m0s)"); n != 1 || len(reported.all) != 2 {
		t.Errorf("after the interval: %v", reported.all)
	}
	h.add(errors.New("alone"))
	if n := reported.containing("alone"); n != 0 {
		t.Error("reported within the interval that the last report began")
	}
	h.close()
	if err := reported.all[len(reported.all)-1]; len(reported.all) != 3 || err.Error() != "alone" {
		t.Errorf("in the end: %v", reported.all)
	}
	h.next() // a timer that was just ending
	if n := len(reported.all); n != 3 || h.timer != nil {
		t.Errorf("%d reports, timer %v", n, h.timer)
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
	r.counts(`thresh_serve_http2_errors_total{frame="GOAWAY",code="PROTOCOL_ERROR"}`, clients)
}
