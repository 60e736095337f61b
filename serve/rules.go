package serve

import (
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Header is a header field that responses get.
type Header struct {
	// Glob matches the path of a URL, decoded and without its first slash. "*" is any text without
	// a slash, "**" any text, "?" one character but the slash, "{a,b}" a or b. A glob without a
	// slash matches the last element of a path; that of a folder is empty.
	Glob string
	// Name is the field. A later Header of the same name replaces an earlier one. The fields that
	// describe the length, the range or the version of a response cannot be set. Content-Type
	// replaces the type that the file's name implies; Cache-Control and Content-Type apply to
	// responses with status 200, 206 and 304 only.
	Name, Value string
}

// headerRule is a Header that was checked.
type headerRule struct {
	pattern     *regexp.Regexp
	name, value string
}

// reservedFields are those that the server decides on.
var reservedFields = []string{
	"Accept-Ranges", "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Date", "Etag", "Keep-Alive",
	"Last-Modified", "Location", "Trailer", "Transfer-Encoding", "Upgrade", "Vary", "Www-Authenticate",
}

// newHeaderRules checks the headers.
func newHeaderRules(headers []Header) (rules []headerRule, err error) {
	for _, h := range headers {
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		wrong := ""
		pattern, ok := globPattern(h.Glob)
		switch {
		case !ok:
			wrong = "the glob may have *, **, ? and {a,b}"
		case name == "" || !containsOnly(&tokenBytes, name):
			wrong = "not the name of a header field"
		case slices.Contains(reservedFields, name):
			wrong = "the server sets this field itself"
		case strings.TrimSpace(h.Value) == "" || !containsOnly(&valueBytes, h.Value):
			wrong = "a value has at least one visible character, and no line break"
		}
		if wrong != "" {
			return nil, optionError("Headers", h.Glob+": "+h.Name+"="+h.Value, wrong)
		}
		rules = append(rules, headerRule{pattern, name, strings.TrimSpace(h.Value)})
	}
	return rules, nil
}

// globPattern translates a glob. It reports false if the glob is empty or its braces do not fit.
func globPattern(glob string) (*regexp.Regexp, bool) {
	b := strings.Builder{}
	b.WriteString(`(?s)^`)
	if !strings.Contains(glob, "/") {
		b.WriteString(`(?:.*/)?`)
	}
	glob = strings.TrimPrefix(glob, "/")
	open := false
	for i := 0; i < len(glob); i++ {
		c := glob[i : i+1]
		switch {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == "*":
			b.WriteString(`[^/]*`)
		case c == "?":
			b.WriteString(`[^/]`)
		case c == "{" && !open:
			open = true
			b.WriteString(`(?:`)
		case c == "}" && open:
			open = false
			b.WriteString(`)`)
		case c == "," && open:
			b.WriteString(`|`)
		case c == "{" || c == "}" || c == "[" || c == "]":
			return nil, false
		case c[0] >= 0x80:
			b.WriteString(c)
		default:
			b.WriteString(regexp.QuoteMeta(c))
		}
	}
	pattern, err := regexp.Compile(b.String() + `$`)
	return pattern, err == nil && !open && glob != ""
}

// setHeaders sets the fields of the rules for path. With content, the response is about the content: 200,
// 206 or 304.
func setHeaders(header http.Header, rules []headerRule, path string, content bool) {
	for i := range rules {
		r := &rules[i]
		describes := r.name == "Cache-Control" || r.name == "Content-Type"
		if (content || !describes) && r.pattern.MatchString(strings.TrimPrefix(path, "/")) {
			header[r.name] = []string{r.value}
		}
	}
}

// checkOrigins checks Options.CORS.
func checkOrigins(origins []string) error {
	for _, o := range origins {
		u, err := url.Parse(o)
		if o != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != o) {
			return optionError("CORS", o, "an origin is *, or like https://app.example:8443")
		}
	}
	return nil
}

// setCORS lets pages of the allowed origins read the response. The fields are those of the Fetch
// standard.
func setCORS(header http.Header, r *http.Request, origins []string) {
	if len(origins) == 0 {
		return
	}
	origin := "*"
	if !slices.Contains(origins, "*") {
		header.Add("Vary", "Origin")
		if origin = r.Header.Get("Origin"); !slices.Contains(origins, origin) {
			return
		}
	}
	header.Set("Access-Control-Allow-Origin", origin)
	if isPreflight(r) {
		header.Set("Access-Control-Allow-Methods", methods)
		header.Set("Access-Control-Allow-Headers",
			"Accept, Authorization, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range")
		header.Set("Access-Control-Max-Age", "86400")
		return
	}
	header.Set("Access-Control-Expose-Headers",
		"Accept-Ranges, Content-Disposition, Content-Encoding, Content-Length, Content-Range, ETag, Link")
}

// isPreflight reports whether a browser asks if it may send a request. It sends no password.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header["Access-Control-Request-Method"] != nil
}
