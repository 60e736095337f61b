package serve

import (
	"fmt"
	"strings"
)

// disposition returns a Content-Disposition (RFC 6266) of that kind, inline or attachment, with the
// name of the file: as ASCII for old clients and, if that is not the name, as UTF-8 (RFC 8187).
func disposition(kind, name string) string {
	name = validUTF8(name)
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f || strings.ContainsRune(`"\/%`, r) {
			return '_'
		}
		return r
	}, name)
	value := fmt.Sprintf(`%s; filename="%s"`, kind, ascii)
	if ascii != name {
		value += "; filename*=UTF-8''" + escapeExtended(name)
	}
	return value
}

// escapeExtended percent-encodes everything but the characters that RFC 8187 allows.
func escapeExtended(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
