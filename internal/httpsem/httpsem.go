// Package httpsem decides what a request is answered with: conditions, ranges, encodings.
// It is pure: headers in, decision out. Section numbers are those of RFC 9110.
package httpsem

import (
	"net/http"
	"time"
)

// Representation is what the conditions and ranges of a request are held against.
type Representation struct {
	ETag     string    // quoted, with W/ in front where weak; empty: none
	Modified time.Time // zero: not known
	Size     int64     // bytes
}

// Decision is what a GET or HEAD is answered with.
type Decision struct {
	Status int     // 200, 206, 304, 412 or 416
	Ranges []Range // what of the representation goes out with 206: one, or several in the order asked for
}

// Decide holds the header of a GET or HEAD against r, in the order of section 13.2.2. A
// HEAD is decided like its GET, ranges included, as clients probe with it.
func Decide(h http.Header, r Representation) Decision {
	switch {
	case !preconditions(h, r):
		return Decision{Status: http.StatusPreconditionFailed}
	case unchanged(h, r):
		return Decision{Status: http.StatusNotModified}
	}
	field := h["Range"]
	if len(field) != 1 || r.Size == 0 || !ifRange(h, r) {
		return Decision{Status: http.StatusOK}
	}
	ranges, verdict := ParseRanges(field[0], r.Size)
	switch verdict {
	case Satisfiable:
		return Decision{Status: http.StatusPartialContent, Ranges: ranges}
	case Unsatisfiable:
		return Decision{Status: http.StatusRequestedRangeNotSatisfiable}
	}
	return Decision{Status: http.StatusOK}
}

// LastModified returns the value of Last-Modified for what changed at t, in an answer made
// at now: a date not after now (8.8.2.1). It is empty where t says nothing: many archives
// and images give all files the first seconds of 1970, whatever is in them.
func LastModified(t, now time.Time) string {
	if !meaningful(t) {
		return ""
	}
	if t.After(now) {
		t = now
	}
	return t.UTC().Format(http.TimeFormat)
}

func meaningful(t time.Time) bool { return !t.IsZero() && t.Unix() > 1 }
