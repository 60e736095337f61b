package httpsem

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"
)

// preconditionsHold evaluates If-Match, or without it If-Unmodified-Since (13.1.1, 13.1.4).
func preconditionsHold(h http.Header, r Representation) bool {
	if field, ok := h["If-Match"]; ok {
		return matches(field, r.ETag, strongEqual)
	}
	since, ok := date(h["If-Unmodified-Since"])
	return !ok || !isUseful(r.Modified) || seconds(r.Modified) <= seconds(since)
}

// notModified evaluates If-None-Match, or without it If-Modified-Since (13.1.2, 13.1.3): it reports
// whether the client already has r. A date later than the file's matches too, as the RFC says,
// because the date may be the client's own.
func notModified(h http.Header, r Representation) bool {
	if field, ok := h["If-None-Match"]; ok {
		return matches(field, r.ETag, weakEqual)
	}
	since, ok := date(h["If-Modified-Since"])
	return ok && isUseful(r.Modified) && seconds(r.Modified) <= seconds(since)
}

// ifRangeHolds evaluates If-Range (13.1.5): without it, or if the client's part is of the same
// content, by a strong tag or by the exact date, ranges are allowed.
func ifRangeHolds(h http.Header, r Representation) bool {
	field, ok := h["If-Range"]
	if !ok {
		return true
	}
	if len(field) != 1 {
		return false
	}
	if tag, rest := entityTag(textproto.TrimString(field[0])); tag != "" {
		return rest == "" && strongEqual(tag, r.ETag)
	}
	t, ok := date(field)
	return ok && isUseful(r.Modified) && seconds(t) == seconds(r.Modified)
}

// matches reports whether etag equals a member of the list in field, or field is "*". It stops at
// the first member that is not an entity tag.
func matches(field []string, etag string, equal func(a, b string) bool) bool {
	if len(field) == 1 && textproto.TrimString(field[0]) == "*" {
		return true
	}
	for _, list := range field {
		for list = trimList(list); list != ""; list = trimList(list) {
			tag, rest := entityTag(list)
			rest = strings.TrimLeft(rest, " \t")
			if tag == "" || rest != "" && rest[0] != ',' {
				return false
			}
			if equal(tag, etag) {
				return true
			}
			list = rest
		}
	}
	return false
}

func trimList(s string) string { return strings.TrimLeft(s, ", \t") }

// entityTag splits s after the entity tag that it begins with; tag is empty if there is none
// (8.8.3).
func entityTag(s string) (tag, rest string) {
	opaque := strings.TrimPrefix(s, "W/")
	if opaque == "" || opaque[0] != '"' {
		return "", s
	}
	for i := 1; i < len(opaque); i++ {
		switch c := opaque[i]; {
		case c == '"':
			end := len(s) - len(opaque) + i + 1
			return s[:end], s[end:]
		case c < 0x21 || c == 0x7f:
			return "", s
		}
	}
	return "", s
}

func strongEqual(a, b string) bool {
	return a == b && a != "" && a[0] == '"'
}

func weakEqual(a, b string) bool {
	return a != "" && strings.TrimPrefix(a, "W/") == strings.TrimPrefix(b, "W/")
}

// date returns the HTTP date in field, in any of the three formats (5.6.7). Malformed dates and
// multiple values count as absent.
func date(field []string) (time.Time, bool) {
	if len(field) != 1 {
		return time.Time{}, false
	}
	t, err := http.ParseTime(textproto.TrimString(field[0]))
	return t, err == nil
}

// seconds is the precision of an HTTP date.
func seconds(t time.Time) int64 { return t.Unix() }
