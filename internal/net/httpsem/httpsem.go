// Package httpsem evaluates the conditions, ranges and accepted encodings of a request. It is pure:
// headers in, decision out. Section numbers are those of RFC 9110. The RFC leaves some choices
// open; these are ours, where users of nginx 1.22 would notice a difference:
//
//   - A malformed Range, one of another unit, or two Range lines are ignored: the response is
//     the whole file. nginx answers most of them with 416, uses the first of two lines, and
//     allows spaces around the numbers. Empty elements of the list are skipped, as 5.6.1.2
//     requires, and a last position too big for 64 bits means the end of the file; nginx
//     answers both with 416.
//   - Any Range of an empty file is ignored; nginx answers 416 if it begins after byte 0.
//   - Ranges of a precompressed sidecar file count its own bytes; nginx sends it whole.
//   - HEAD is answered like GET, including 206, as by nginx, although 14.2 defines Range for
//     GET only: clients use it to probe.
//   - If-Modified-Since matches its date and any later one (13.1.3); nginx by default matches
//     the exact date only.
//   - If the request has an entity tag to compare, dates are ignored (13.2.2): If-None-Match
//     replaces If-Modified-Since, If-Match replaces If-Unmodified-Since; in nginx both must
//     hold. A malformed date is ignored; nginx treats it as a date long ago.
//   - A list of entity tags may span several lines; nginx calls that a bad request.
//   - Accept-Encoding may contain "*" and x-gzip, and weights decide; nginx only looks for gzip.
package httpsem

import (
	"net/http"
	"time"
)

// Representation describes the file that the request's conditions and ranges refer to.
type Representation struct {
	ETag     string    // quoted, with the prefix W/ if weak; empty: none
	Modified time.Time // zero: unknown
	Size     int64     // in bytes
}

// Decision says how to respond to a GET or HEAD.
type Decision struct {
	Status int     // 200, 206, 304, 412 or 416
	Ranges []Range // for 206: the ranges to send, in the requested order
}

// Decide evaluates the header of a GET or HEAD against r, in the order of section 13.2.2. It treats
// HEAD like GET, ranges included, because clients use HEAD to probe.
func Decide(h http.Header, r Representation) Decision {
	switch {
	case !preconditionsHold(h, r):
		return Decision{Status: http.StatusPreconditionFailed}
	case notModified(h, r):
		return Decision{Status: http.StatusNotModified}
	}
	field := h["Range"]
	if len(field) != 1 || r.Size == 0 || !ifRangeHolds(h, r) {
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

// LastModified returns the value of Last-Modified for a file modified at t, in a response sent at
// now: a date not after now (8.8.2.1). It is empty if t has no meaning: many archives and images
// set the time of every file to the first seconds of 1970.
func LastModified(t, now time.Time) string {
	if !isUseful(t) {
		return ""
	}
	if t.After(now) {
		t = now
	}
	return t.UTC().Format(http.TimeFormat)
}

func isUseful(t time.Time) bool { return !t.IsZero() && t.Unix() > 1 }
