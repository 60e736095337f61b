// Package httpsem decides what a request is answered with: conditions, ranges, encodings.
// It is pure: headers in, decision out. Section numbers are those of RFC 9110, which leaves
// some choices open. Where users of nginx 1.22 would notice, they are these:
//
//   - A malformed Range, one of another unit, or two Range lines are ignored: the answer is
//     the whole file. nginx says 416 to most, takes the first of two lines, and lets spaces
//     stand around the numbers. Empty elements of the list are skipped as 5.6.1.2 wants, and
//     a last position too big for 64 bits is the end of the file; nginx says 416 to both.
//   - Any Range of an empty file is ignored; nginx says 416 where it begins behind byte 0.
//   - A precompressed neighbour has ranges of its own bytes; nginx sends it whole.
//   - HEAD is answered like GET, with 206 where that has it, as by nginx, although 14.2
//     gives Range a meaning for GET only: clients probe with it.
//   - If-Modified-Since holds for its date and any later one (13.1.3); nginx wants the very
//     date unless told otherwise.
//   - Where there is an entity tag to compare, dates are not asked (13.2.2): If-None-Match
//     stands in for If-Modified-Since, If-Match for If-Unmodified-Since; in nginx both must
//     hold. A date that is none counts as absent; to nginx it is long ago.
//   - Lists of entity tags may come in several lines; to nginx that is a bad request.
//   - Accept-Encoding may name "*" and x-gzip, and weights decide; nginx looks for gzip only.
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

// LastModified returns the value of Last-Modified for what changed at t, in an answer made
// at now: a date not after now (8.8.2.1). It is empty where t says nothing: many archives
// and images give all files the first seconds of 1970, whatever is in them.
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
