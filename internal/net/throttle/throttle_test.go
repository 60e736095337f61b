package throttle

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// containing returns how many texts contain another.
func containing(all []string, text string) (n int) {
	for _, s := range all {
		if strings.Contains(s, text) {
			n++
		}
	}
	return n
}

// TestThrottle: of many errors the first is reported at once, and the rest as one with their number.
func TestThrottle(t *testing.T) {
	var reported []string
	h := New(time.Hour, func(err error) { reported = append(reported, err.Error()) })
	h.Add(errors.New("first"))
	if n := containing(reported, "first"); n != 1 {
		t.Errorf("%d reports at once", n)
	}
	for i := range 100 {
		h.Add(fmt.Errorf("error %d", i))
	}
	if n := len(reported); n != 1 {
		t.Errorf("%d reports within the interval", n)
	}
	h.next()
	if n := containing(reported, "error 99 (and 99 more such errors in the last 1h0m0s)"); n != 1 || len(reported) != 2 {
		t.Errorf("after the interval: %v", reported)
	}
	h.Add(errors.New("alone"))
	if n := containing(reported, "alone"); n != 0 {
		t.Error("reported within the interval that the last report began")
	}
	h.Close()
	if err := reported[len(reported)-1]; len(reported) != 3 || err != "alone" {
		t.Errorf("in the end: %v", reported)
	}
	h.next() // a timer that was just ending
	if n := len(reported); n != 3 || h.timer != nil {
		t.Errorf("%d reports, timer %v", n, h.timer)
	}
}
