package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	fieldsMax    = 500       // of a header; more get status 431
	bodyBytesMax = 256 << 10 // of a body that is skipped to keep the connection
)

// http1Request is a request of HTTP/1. What is a request and what it means is as net/http has it, but
// for bodies, which this server has no use for.
type http1Request struct {
	http.Request
	header     http.Header
	url        url.URL
	values     [32]string // the values of the first fields
	bodyBytes  int64      // of the body to skip
	closeAfter bool       // close the connection after this request
}

// parse parses a header without the empty line at its end. It returns the zero refusal, or what is
// wrong.
func (r *http1Request) parse(b []byte, remote string) refusal {
	r.reset()
	line, fields := cutLine(string(b))
	wrong := r.parseLine(line)
	if wrong.status == 0 {
		wrong = r.parseFields(fields)
	}
	if wrong.status == 0 {
		wrong = r.parseHost()
	}
	r.Header, r.Body, r.RemoteAddr = r.header, http.NoBody, remote
	return wrong
}

// reset drops the references to the last request.
func (r *http1Request) reset() {
	if len(r.header) > len(r.values) {
		r.header = http.Header{} // a map keeps its room
	}
	clear(r.header)
	clear(r.values[:])
	r.Request = http.Request{}
	r.url = url.URL{}
	r.bodyBytes, r.closeAfter = 0, false
}

// cutLine returns the first line of text, without CR LF or LF, and the rest.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// headerLen returns the length of the header at the beginning of b, with the empty line that ends it, and of
// that line. They are 0 if the header goes on. from is how much was searched before.
func headerLen(b []byte, from int) (n, end int) {
	from = max(from-len("\n\r"), 0)
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return 0, 0
		}
		from += i + 1
		switch rest := b[from:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return from + 1, 1
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return from + 2, 2
		}
	}
}

// parseLine parses the request line.
func (r *http1Request) parseLine(line string) refusal {
	method, rest, _ := strings.Cut(line, " ")
	target, proto, ok := strings.Cut(rest, " ")
	switch {
	case !ok || method == "" || !containsOnly(&tokenBytes, method):
		return badRequest("malformed request line")
	case !r.parseTarget(method, target):
		return badRequest("malformed target")
	}
	r.Method, r.RequestURI, r.Proto, r.URL = method, target, proto, &r.url
	r.ProtoMajor, r.ProtoMinor, ok = http.ParseHTTPVersion(proto)
	switch {
	case !ok:
		return badRequest("malformed version")
	case r.ProtoMajor != 1 && !r.isPreface():
		return refusal{http.StatusHTTPVersionNotSupported, "only HTTP/1 is supported here"}
	}
	r.closeAfter = r.isPreface() || method == http.MethodConnect // what follows is not HTTP/1
	return refusal{}
}

// isPreface reports whether the request is the beginning of HTTP/2, which HTTP/1 may read as a request with
// a method of its own.
func (r *http1Request) isPreface() bool {
	return r.Method == "PRI" && r.RequestURI == "*" && r.Proto == "HTTP/2.0"
}

// parseTarget parses a target of any form (RFC 9112, section 3.2).
func (r *http1Request) parseTarget(method, target string) bool {
	simple := strings.HasPrefix(target, "/")
	for i := 0; simple && i < len(target); i++ {
		b := target[i]
		simple = b >= 'a' && b <= 'z' || b >= '-' && b <= '9' || b >= 'A' && b <= 'Z' || b == '_' || b == '~'
	}
	if simple {
		r.url = url.URL{Path: target}
		return true
	}
	authority := method == http.MethodConnect && !strings.HasPrefix(target, "/")
	if authority {
		target = "http://" + target
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return false
	}
	if authority {
		u.Scheme = ""
	}
	r.url = *u
	return true
}

// parseFields parses the lines of fields, which end with LF.
func (r *http1Request) parseFields(text string) refusal {
	framed := false
	for used := 0; text != ""; used++ {
		var line string
		line, text = cutLine(text)
		if strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") {
			line, text = unfold(line, text)
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		switch {
		case !ok || name == "" || !containsOnly(&tokenBytes, name) || !containsOnly(&valueBytes, value):
			return badRequest("malformed header field")
		case used == fieldsMax:
			return tooLong
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		framed = framed || name == "Content-Length" || name == "Transfer-Encoding" || name == "Expect"
		if old, ok := r.header[name]; ok {
			r.header[name] = append(old, value)
		} else if used < len(r.values) {
			r.values[used] = value
			r.header[name] = r.values[used : used+1 : used+1]
		} else {
			r.header[name] = []string{value}
		}
	}
	connection := r.header["Connection"]
	r.closeAfter = r.closeAfter || hasToken(connection, "close") ||
		r.ProtoMinor == 0 && !hasToken(connection, "keep-alive")
	if framed {
		return r.parseFraming()
	}
	return refusal{}
}

// unfold joins a line with those that continue it, which begin with a blank (RFC 9112, section 5.2).
func unfold(line, text string) (whole, rest string) {
	parts := []string{strings.TrimRight(line, " \t")}
	for strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") {
		line, text = cutLine(text)
		parts = append(parts, strings.Trim(line, " \t"))
	}
	return strings.Join(parts, " "), text
}

// parseFraming finds out where the body ends. Servers disagree about the length of some requests, which lets
// a client smuggle another one past a proxy (RFC 9112, section 6): these are refused, or the last ones of their
// connection. So is one whose body may not come.
func (r *http1Request) parseFraming() refusal {
	codings, chunked := r.header["Transfer-Encoding"]
	switch {
	case chunked && !r.ProtoAtLeast(1, 1):
		return badRequest("Transfer-Encoding in HTTP/1.0")
	case chunked && (len(codings) > 1 || !strings.EqualFold(codings[0], "chunked")):
		return refusal{http.StatusNotImplemented, "unsupported transfer encoding"}
	}
	for _, name := range []string{"Transfer-Encoding", "Trailer", "Content-Length"} {
		if chunked && hasToken(r.header["Trailer"], name) {
			return badRequest("malformed Trailer")
		}
	}
	lengths := r.header["Content-Length"]
	for _, length := range lengths {
		n, err := strconv.ParseUint(length, 10, 63)
		if err != nil || length != lengths[0] {
			return badRequest("malformed Content-Length")
		}
		r.bodyBytes = int64(n)
	}
	expects := r.header.Get("Expect")
	awaited := hasToken([]string{expects}, "100-continue")
	if expects != "" && !awaited {
		return refusal{http.StatusExpectationFailed, "only 100-continue can be expected"}
	}
	if chunked || r.bodyBytes > bodyBytesMax || r.bodyBytes > 0 && awaited {
		r.closeAfter, r.bodyBytes = true, 0
	}
	return refusal{}
}

// parseHost parses the field Host. A target in absolute form overrides it.
func (r *http1Request) parseHost() refusal {
	hosts := r.header["Host"]
	switch {
	case len(hosts) > 1:
		return badRequest("more than one Host")
	case len(hosts) == 1 && !isHostField(hosts[0]):
		return badRequest("malformed Host")
	case len(hosts) == 0 && r.ProtoAtLeast(1, 1) && r.Method != http.MethodConnect && !r.isPreface():
		return badRequest("no Host")
	}
	delete(r.header, "Host") // as net/http does
	if r.Host = r.url.Host; r.Host == "" && len(hosts) == 1 {
		r.Host = hosts[0]
	}
	return refusal{}
}

// isHostField reports whether text has only bytes that Host may have (RFC 3986, section 3.2.2).
func isHostField(text string) bool {
	for i := range len(text) {
		if !hostBytes[text[i]] && strings.IndexByte("!$%&'()*+,;=~", text[i]) < 0 {
			return false
		}
	}
	return true
}

// byteSet is a set of bytes.
type byteSet [256]bool

// The bytes allowed in the parts of a header (RFC 9110, sections 5.6.2 and 5.5), and in names and addresses of hosts.
var (
	tokenBytes = newByteSet("!#$%&'*+-.^_`|~", '0', '9', 'A', 'Z', 'a', 'z')
	valueBytes = newByteSet("\t", ' ', '~', 0x80, 0xff)
	hostBytes  = newByteSet(".-_:[]", '0', '9', 'A', 'Z', 'a', 'z')
)

func newByteSet(single string, ranges ...byte) (s byteSet) {
	for i := range len(single) {
		s[single[i]] = true
	}
	for i := 0; i < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			s[b] = true
		}
	}
	return s
}

// containsOnly reports whether all bytes of text are in the set.
func containsOnly(s *byteSet, text string) bool {
	for i := range len(text) {
		if !s[text[i]] {
			return false
		}
	}
	return true
}

// hasToken reports whether one of the comma-separated lists contains the token.
func hasToken(values []string, token string) bool {
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.Trim(part, " \t"), token) {
				return true
			}
		}
	}
	return false
}

// refusal is a response to what is not a request that the handler could see.
type refusal struct {
	status int
	reason string
}

// tooLong refuses a header.
var tooLong = refusal{http.StatusRequestHeaderFieldsTooLarge, "the header is too long"}

func badRequest(reason string) refusal { return refusal{http.StatusBadRequest, reason} }

const (
	unknownHTTP1   = "- - HTTP/1.1" // the line of a request that was not seen
	requestLineMax = 1 << 10        // bytes of a malformed request's line that are logged
)

// requestLine returns the first line of p, or its beginning.
func requestLine(p []byte) string {
	line, _, _ := bytes.Cut(p[:min(len(p), requestLineMax)], []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r")))
}

// refuse responds to a request, which begins with line, and records that. The connection must end after it.
func (c *client) refuse(line string, r refusal) {
	body := fmt.Sprintf("%d %s: %s\n", r.status, http.StatusText(r.status), r.reason)
	header := fmt.Sprintf("HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"+
		"Content-Length: %d\r\n\r\n", r.status, http.StatusText(r.status), len(body))
	if strings.HasPrefix(line, "HEAD ") {
		body = ""
	}
	c.server.sendRefusal(c, c.remote, line, r.status, header, body)
}

// sendRefusal writes a response that is not the handler's, and records it. It reports whether all was sent.
func (s *Server) sendRefusal(to io.Writer, remote, line string, status int, header, body string) bool {
	n, err := io.WriteString(to, header+body)
	method, rest, _ := strings.Cut(line, " ")
	target, proto := rest, ""
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		target, proto = rest[:i], rest[i+1:]
	}
	r := &http.Request{Method: method, RequestURI: target, Proto: proto, RemoteAddr: remote}
	s.note(r, &outcome{began: time.Now(), status: status, bytes: int64(max(0, n-len(header)))})
	return err == nil
}
