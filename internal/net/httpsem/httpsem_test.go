package httpsem

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	changed = time.Date(2024, 2, 29, 12, 30, 45, 987654321, time.UTC)
	same    = changed.Format(http.TimeFormat)
	before  = changed.Add(-time.Second).Format(http.TimeFormat)
	after   = changed.Add(time.Second).Format(http.TimeFormat)
)

// header parses lines of the form "Name: value".
func header(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

func TestDecide(t *testing.T) {
	const (
		ok, partial, fresh, failed, beyond = 200, 206, 304, 412, 416
		some                               = "Range: bytes=0-4"
	)
	r850, asctime := changed.Format("Monday, 02-Jan-06 15:04:05 GMT"), changed.Format(time.ANSIC)
	for _, c := range []struct {
		status int
		lines  []string
	}{
		{ok, nil},
		{partial, []string{some}},
		{beyond, []string{"Range: bytes=100-"}},
		{ok, []string{some, some}}, // Range must not be repeated
		{ok, []string{"Range: bytes=5-4"}},

		{ok, []string{`If-Match: "a"`}},
		{ok, []string{`If-Match: *`}},
		{ok, []string{`If-Match: "x", "a"`}},
		{ok, []string{`If-Match: "x","a","y"`}},
		{ok, []string{`If-Match: , ,"a"`}},
		{ok, []string{`If-Match: "x"`, `If-Match: "a"`}},
		{failed, []string{`If-Match: "x"`}},
		{failed, []string{`If-Match: W/"a"`}}, // compared strongly
		{failed, []string{`If-Match: a`}},
		{failed, []string{`If-Match: x, "a"`}},
		{failed, []string{`If-Match: "x" "a"`}},
		{failed, []string{`If-Match: "a`}},
		{failed, []string{`If-Match: `}},
		{failed, []string{`If-Match: "x", *`}},
		{failed, []string{`If-Match: "A"`}},
		{failed, []string{`If-Match: "x"`, "If-Unmodified-Since: " + after}}, // the date is not asked
		{ok, []string{`If-Match: "a"`, "If-Unmodified-Since: " + before}},

		{ok, []string{"If-Unmodified-Since: " + same}},
		{ok, []string{"If-Unmodified-Since: " + after}},
		{failed, []string{"If-Unmodified-Since: " + before}},
		{failed, []string{"If-Unmodified-Since: " + before, some}},
		{ok, []string{"If-Unmodified-Since: yesterday"}},
		{ok, []string{"If-Unmodified-Since: " + before, "If-Unmodified-Since: " + before}},

		{fresh, []string{`If-None-Match: "a"`}},
		{fresh, []string{`If-None-Match: W/"a"`}}, // compared weakly
		{fresh, []string{`If-None-Match: "x", W/"y" , "a"`}},
		{fresh, []string{`If-None-Match: *`}},
		{fresh, []string{`If-None-Match:  * `}},
		{fresh, []string{`If-None-Match: "x"`, `If-None-Match: "a"`}},
		{fresh, []string{`If-None-Match: "x,y", "a"`}},
		{ok, []string{`If-None-Match: "x"`}},
		{ok, []string{`If-None-Match: a`}},
		{ok, []string{`If-None-Match: `}},
		{ok, []string{`If-None-Match: w/"a"`}},
		{ok, []string{`If-None-Match: "a" x`}},
		{ok, []string{`If-None-Match: "x, "a"`}},
		{ok, []string{`If-None-Match: "x"`, "If-Modified-Since: " + same}}, // the date is not asked
		{fresh, []string{`If-None-Match: "a"`, "If-Modified-Since: " + before}},
		{fresh, []string{`If-None-Match: "a"`, some}},
		{failed, []string{`If-None-Match: "a"`, `If-Match: "x"`}},
		{fresh, []string{`If-None-Match: "a"`, `If-Match: "a"`}},
		{failed, []string{`If-None-Match: "a"`, "If-Unmodified-Since: " + before}},

		{fresh, []string{"If-Modified-Since: " + same}},
		{fresh, []string{"If-Modified-Since: " + after}},
		{fresh, []string{"If-Modified-Since: " + r850}},
		{fresh, []string{"If-Modified-Since: " + asctime}},
		{fresh, []string{"If-Modified-Since: " + same, some}},
		{ok, []string{"If-Modified-Since: " + before}},
		{partial, []string{"If-Modified-Since: " + before, some}},
		{ok, []string{"If-Modified-Since: "}},
		{ok, []string{"If-Modified-Since: " + strings.TrimSuffix(same, " GMT")}},
		{ok, []string{"If-Modified-Since: " + same + "; length=100"}},
		{ok, []string{"If-Modified-Since: " + same, "If-Modified-Since: " + same}},

		{partial, []string{some, `If-Range: "a"`}},
		{ok, []string{some, `If-Range: "x"`}},
		{ok, []string{some, `If-Range: W/"a"`}},
		{ok, []string{some, `If-Range: *`}},
		{ok, []string{some, `If-Range: "a", "x"`}},
		{ok, []string{some, `If-Range: a`}},
		{ok, []string{some, `If-Range: `}},
		{ok, []string{some, `If-Range: "a"`, `If-Range: "a"`}},
		{partial, []string{some, "If-Range: " + same}},
		{partial, []string{some, "If-Range: " + r850}},
		{partial, []string{some, "If-Range: " + asctime}},
		{ok, []string{some, "If-Range: " + before}},
		{ok, []string{some, "If-Range: " + after}}, // exact
		{ok, []string{`If-Range: "a"`}},
		{ok, []string{`If-Range: "x"`}},
		{beyond, []string{"Range: bytes=100-", `If-Range: "a"`}},
		{ok, []string{"Range: bytes=100-", `If-Range: "x"`}},
		{partial, []string{some, `If-Range: "a"`, `If-Match: "a"`, `If-None-Match: "x"`}},
		{failed, []string{some, `If-Range: "a"`, `If-Match: "x"`}},
	} {
		d := Decide(header(c.lines...), Representation{ETag: `"a"`, Modified: changed, Size: 26})
		if d.Status != c.status {
			t.Errorf("%q: %d, not %d", c.lines, d.Status, c.status)
		}
		if some := d.Status == http.StatusPartialContent; some != (len(d.Ranges) > 0) {
			t.Errorf("%q: %d with ranges %v", c.lines, d.Status, d.Ranges)
		}
	}
}

// TestDecideWithoutValidators checks that a file without a tag and a useful time is never reported
// as unchanged.
func TestDecideWithoutValidators(t *testing.T) {
	for _, r := range []Representation{{Size: 26}, {Size: 26, Modified: time.Unix(0, 0)}, {Size: 26, Modified: time.Unix(1, 0)}} {
		for line, status := range map[string]int{
			"If-Modified-Since: " + after:    200,
			"If-Unmodified-Since: " + before: 200,
			`If-None-Match: ""`:              200,
			`If-None-Match: *`:               304,
			`If-Match: ""`:                   412,
			`If-Match: *`:                    200,
			`If-Range: ""`:                   200,
			"If-Range: " + r.Modified.Format(http.TimeFormat): 200,
		} {
			if d := Decide(header(line, "Range: bytes=0-4"), r); d.Status != status && !(status == 200 && d.Status == 206 && line[:8] != "If-Range") {
				t.Errorf("%v, %q: %d, not %d", r, line, d.Status, status)
			}
		}
	}
}

func TestDecideWeakTag(t *testing.T) {
	r := Representation{ETag: `W/"a"`, Modified: changed, Size: 26}
	for line, status := range map[string]int{`If-None-Match: "a"`: 304, `If-None-Match: W/"a"`: 304, `If-Match: W/"a"`: 412, `If-Range: W/"a"`: 200} {
		if d := Decide(header(line, "Range: bytes=0-4"), r); d.Status != status {
			t.Errorf("%q: %d, not %d", line, d.Status, status)
		}
	}
}

// TestDecideEmpty checks that a range of an empty file gets an empty response and no error: some
// clients send a range with every request.
func TestDecideEmpty(t *testing.T) {
	for _, field := range []string{"bytes=0-", "bytes=-5", "bytes=0-0", "bytes=7-"} {
		if d := Decide(header("Range: "+field), Representation{ETag: `"a"`}); d.Status != 200 {
			t.Errorf("%q: %d", field, d.Status)
		}
	}
}

func TestLastModified(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		t    time.Time
		want string
	}{
		{changed, "Thu, 29 Feb 2024 12:30:45 GMT"},
		{changed.In(time.FixedZone("", 3600)), "Thu, 29 Feb 2024 12:30:45 GMT"},
		{now.Add(time.Hour), "Wed, 02 Jan 2030 03:04:05 GMT"},
		{time.Time{}, ""},
		{time.Unix(0, 5), ""},
		{time.Unix(1, 0), ""},
	} {
		if got := LastModified(c.t, now); got != c.want {
			t.Errorf("%v: %q, not %q", c.t, got, c.want)
		}
	}
}

var plainTag = regexp.MustCompile(`^[ \t,]*((?:W/)?"[^\x00-\x20"\x7f]*")[ \t]*(,|$)`)

// plainMatches splits the list of tags one by one.
func plainMatches(list, etag string, weakly bool) bool {
	if strings.Trim(list, " \t\r\n") == "*" {
		return true
	}
	strip := func(s string) string {
		if weakly {
			return strings.TrimPrefix(s, "W/")
		}
		return s
	}
	for {
		m := plainTag.FindStringSubmatch(list)
		if m == nil {
			return false
		}
		if strip(m[1]) == strip(etag) && (weakly || !strings.HasPrefix(etag, "W/")) {
			return true
		}
		list = list[len(m[0]):]
	}
}

func FuzzConditions(f *testing.F) {
	for _, list := range []string{`"a"`, `W/"a", "b"`, `*`, ` ,"x" ,W/"y"`, `"a`, `"b" "a"`, `"ä","a"`} {
		f.Add(list, `"a"`)
		f.Add(list, `W/"a"`)
	}
	f.Fuzz(func(t *testing.T, list, etag string) {
		if tag, rest := entityTag(etag); tag == "" || rest != "" {
			return
		}
		r := Representation{ETag: etag, Size: 1}
		if got, want := Decide(http.Header{"If-Match": {list}}, r).Status == 200, plainMatches(list, etag, false); got != want {
			t.Errorf("If-Match %q of %q: %v, plainly %v", list, etag, got, want)
		}
		if got, want := Decide(http.Header{"If-None-Match": {list}}, r).Status == 304, plainMatches(list, etag, true); got != want {
			t.Errorf("If-None-Match %q of %q: %v, plainly %v", list, etag, got, want)
		}
	})
}

func FuzzDecide(f *testing.F) {
	f.Add("bytes=0-4", `"a"`, same, `"a"`, int64(26))
	f.Add("bytes=-4,1-2", `"x"`, before, "*", int64(1<<40))
	f.Fuzz(func(t *testing.T, ranges, ifRange, date, tags string, size int64) {
		if size < 0 {
			return
		}
		for _, h := range []http.Header{
			{"Range": {ranges}},
			{"Range": {ranges}, "If-Range": {ifRange}},
			{"Range": {ranges}, "If-Range": {date}, "If-Modified-Since": {date}},
			{"Range": {ranges}, "If-Match": {tags}, "If-None-Match": {ifRange}, "If-Unmodified-Since": {date}},
		} {
			d := Decide(h, Representation{ETag: `"a"`, Modified: changed, Size: size})
			if !slices.Contains([]int{200, 206, 304, 412, 416}, d.Status) {
				t.Fatalf("%v: %d", h, d.Status)
			}
			if (d.Status == 206) != (len(d.Ranges) > 0) {
				t.Fatalf("%v: %d with %v", h, d.Status, d.Ranges)
			}
			left := size
			for _, r := range d.Ranges {
				if r.Off < 0 || r.Bytes < 1 || r.Off > size-r.Bytes {
					t.Fatalf("%v: %v of %d", h, r, size)
				}
				left -= r.Bytes
			}
			if left < 0 {
				t.Fatalf("%v: %d more than there is", h, -left)
			}
		}
	})
}
