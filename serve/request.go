package serve

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// plainRequest is a request whose meaning is beyond doubt: GET or HEAD, without a body, an upgrade
// or an expectation, every line ending in CR LF, no invalid byte. Other requests are left to
// net/http, so that only one parser decides what is malformed.
type plainRequest struct {
	http.Request
	header     http.Header
	url        url.URL
	values     [32]string // the values of fields that have only one
	closeAfter bool       // close the connection after this request
}

// mayBePlain reports whether an incomplete header may become a plain one.
func mayBePlain(b []byte) bool {
	return bytes.HasPrefix(b, methodGet[:min(len(b), len(methodGet))]) ||
		bytes.HasPrefix(b, methodHead[:min(len(b), len(methodHead))])
}

var (
	methodGet  = []byte("GET /")
	methodHead = []byte("HEAD /")
)

// parse parses a header, which ends with an empty line. It reports false if the request is not
// plain.
func (r *plainRequest) parse(b []byte, remote string) bool {
	r.reset()
	text := string(b[:len(b)-len("\r\n")])
	line, text, _ := strings.Cut(text, "\r\n")
	method, line, ok := strings.Cut(line, " ")
	target, proto, ok2 := strings.Cut(line, " ")
	if !ok || !ok2 || method != "GET" && method != "HEAD" || !r.parseTarget(target) {
		return false
	}
	minor := 1
	switch proto {
	case "HTTP/1.1":
	case "HTTP/1.0":
		minor = 0
	default:
		return false
	}
	if !r.parseFields(text) {
		return false
	}
	hosts := r.header["Host"]
	if len(hosts) > 1 || len(hosts) == 0 && minor == 1 || len(hosts) == 1 && !containsOnly(&hostBytes, hosts[0]) {
		return false
	}
	delete(r.header, "Host") // as net/http does
	connection := r.header["Connection"]
	r.closeAfter = hasToken(connection, "close") || minor == 0 && !hasToken(connection, "keep-alive")
	r.Request = http.Request{
		Method: method, URL: &r.url, Proto: proto, ProtoMajor: 1, ProtoMinor: minor, Header: r.header,
		Body: http.NoBody, RequestURI: target, RemoteAddr: remote,
	}
	if len(hosts) == 1 {
		r.Host = hosts[0]
	}
	return true
}

// reset drops the references to the last request.
func (r *plainRequest) reset() {
	clear(r.header)
	clear(r.values[:])
	r.Request = http.Request{}
	r.url = url.URL{}
}

// parseTarget parses the target, which must begin with a slash.
func (r *plainRequest) parseTarget(target string) bool {
	if target == "" || target[0] != '/' {
		return false
	}
	simple := true
	for i := range len(target) {
		b := target[i]
		if b <= ' ' || b >= 0x7f {
			return false
		}
		simple = simple && (b >= 'a' && b <= 'z' || b >= '-' && b <= '9' || b >= 'A' && b <= 'Z' || b == '_' || b == '~')
	}
	if simple {
		r.url = url.URL{Path: target}
		return true
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return false
	}
	r.url = *u
	return true
}

func (r *plainRequest) parseFields(text string) bool {
	used := 0
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || !containsOnly(&tokenBytes, name) || used == len(r.values) {
			return false
		}
		value = strings.Trim(value, " \t")
		if !containsOnly(&valueBytes, value) {
			return false
		}
		switch name = textproto.CanonicalMIMEHeaderKey(name); name {
		case "Content-Length", "Transfer-Encoding", "Expect", "Upgrade", "Http2-Settings", "Trailer":
			return false
		}
		r.values[used] = value
		if old, ok := r.header[name]; ok {
			r.header[name] = append(old, value)
		} else {
			r.header[name] = r.values[used : used+1 : used+1]
		}
		used++
	}
	return true
}

// byteSet is a set of bytes.
type byteSet [256]bool

// The bytes allowed in the parts of a header (RFC 9110, sections 5.6.2 and 5.5). Hosts with other
// bytes are left to net/http.
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
