package httpsem

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"
)

// preconditions reports whether If-Match, or in its absence If-Unmodified-Since, allow an
// answer (13.1.1, 13.1.4).
func preconditionsHold(h http.Header, r Representation) bool {
	if field, ok := h["If-Match"]; ok {
		return matches(field, r.ETag, strongEqual)
	}
	since, ok := date(h["If-Unmodified-Since"])
	return !ok || !isUseful(r.Modified) || seconds(r.Modified) <= seconds(since)
}

// unchanged reports whether If-None-Match, or in its absence If-Modified-Since, say that
// the client has r already (13.1.2, 13.1.3). A date later than that of the file will do, as
// the RFC says, for the date may be the client's own.
func notModified(h http.Header, r Representation) bool {
	if field, ok := h["If-None-Match"]; ok {
		return matches(field, r.ETag, weakEqual)
	}
	since, ok := date(h["If-Modified-Since"])
	return ok && isUseful(r.Modified) && seconds(r.Modified) <= seconds(since)
}

// ifRange reports whether If-Range, if there is one, allows ranges (13.1.5): what the
// client has a part of is still the same, by a strong tag or by its very date.
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

// matches reports whether etag is equal to a member of the list in field, or whether field
// is "*". From a member on that is no entity tag nothing matches.
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

// entityTag returns the entity tag that s begins with and what follows it; the tag is empty
// where there is none (8.8.3).
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

// date returns the HTTP date in field, in any of the three formats (5.6.7). What is no date
// counts as absent, and so do several.
func date(field []string) (time.Time, bool) {
	if len(field) != 1 {
		return time.Time{}, false
	}
	t, err := http.ParseTime(textproto.TrimString(field[0]))
	return t, err == nil
}

// seconds is the precision of an HTTP date.
func seconds(t time.Time) int64 { return t.Unix() }
