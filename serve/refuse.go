package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

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
