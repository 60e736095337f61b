package zerocopy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// responseCase is a response of an http.Server, on a plain listener and on one of NewListener.
type responseCase struct {
	name    string
	handler func(s *stage) http.Handler
	network string                      // "" is tcp
	secure  int                         // 1 TLS, 2 TLS with HTTP/2
	under   func(net.Conn) net.Conn     // wraps each connection of the listener
	request func(*stage, *http.Request) // changes the request
	raw     string                      // a request to write as it is
}

func body(serve func(s *stage, w http.ResponseWriter, r *http.Request)) func(*stage) http.Handler {
	return func(s *stage) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(s, w, r) })
	}
}

// content serves with http.ServeContent after asking Path about the copy that it will make.
func content(header http.Header, wrap func(http.ResponseWriter, *http.Request) http.ResponseWriter,
	open func(*stage) io.ReadSeeker,
) func(*stage) http.Handler {
	return body(func(s *stage, w http.ResponseWriter, r *http.Request) {
		if wrap != nil {
			w = wrap(w, r)
		}
		c := open(s)
		for k, v := range header {
			w.Header()[k] = v
		}
		if header.Get("Content-Encoding") == "" && r.Header.Get("Range") == "" {
			// ServeContent sets it before it copies, if it knows the size.
			w.Header().Set("Content-Length", strconv.Itoa(fileBytes))
			s.route = zerocopy.Path(w, io.LimitReader(c, fileBytes))
			w.Header().Del("Content-Length")
		}
		http.ServeContent(w, r, "data", time.Time{}, c)
	})
}

func opened(s *stage) io.ReadSeeker { return s.file() }

// copied responds with io.Copy.
func decideIOCopy(length bool, wrap func(http.ResponseWriter, *http.Request) http.ResponseWriter) func(*stage) http.Handler {
	return body(func(s *stage, w http.ResponseWriter, r *http.Request) {
		if wrap != nil {
			w = wrap(w, r)
		}
		if length {
			w.Header().Set("Content-Length", strconv.Itoa(fileBytes))
		}
		f := s.file()
		s.route = zerocopy.Path(w, f)
		io.Copy(w, f)
	})
}

type (
	hasEmbedded struct{ http.ResponseWriter }
	embedsMore  struct{ http.ResponseWriter }
	embedsFull  struct{ http.ResponseWriter }
	embedsLimit struct{ http.ResponseWriter }
)

func (e embedsMore) Unwrap() http.ResponseWriter          { return e.ResponseWriter }
func (e embedsFull) ReadFrom(r io.Reader) (int64, error)  { return io.Copy(e.ResponseWriter, r) }
func (e embedsLimit) ReadFrom(r io.Reader) (int64, error) { return io.Copy(e.ResponseWriter, limit(r)) }

// lending copies to a NewResponseWriter of the wrapped response, in a NewHandler.
func lending(wrap func(http.ResponseWriter) http.ResponseWriter) func(*stage) http.Handler {
	inside := decideIOCopy(true, func(w http.ResponseWriter, r *http.Request) http.ResponseWriter { return hooked(wrap(w), r) })
	return func(s *stage) http.Handler { return zerocopy.NewHandler(inside(s)) }
}

func hooked(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	return zerocopy.NewResponseWriter(w, r, zerocopy.Count(new(zerocopy.Counter)))
}

var responseCases = []responseCase{
	{name: "FileServer(Dir)", handler: func(s *stage) http.Handler {
		s.file()
		return http.FileServer(http.Dir(s.dir))
	}},
	{name: "FileServerFS(os.DirFS)", handler: func(s *stage) http.Handler {
		s.file()
		return http.FileServerFS(os.DirFS(s.dir))
	}},
	{name: "ServeContent(file)", handler: content(nil, nil, opened)},
	{name: "ServeContent(io.SectionReader)", handler: content(nil, nil, func(s *stage) io.ReadSeeker {
		return io.NewSectionReader(s.file(), 0, fileBytes)
	})},
	{name: "ServeContent(ReadSeeker(file))", handler: content(nil, nil, func(s *stage) io.ReadSeeker {
		return zerocopy.NewReadSeeker(s.file(), s.counting())
	})},
	{name: "ServeContent(Section)", handler: content(nil, nil, func(s *stage) io.ReadSeeker {
		return zerocopy.NewSection(s.file(), 0, fileBytes, nil)
	})},
	{name: "ServeContent, one range", handler: content(nil, nil, opened), request: func(_ *stage, r *http.Request) {
		r.Header.Set("Range", "bytes=1000-")
	}},
	{name: "ServeContent, several ranges", handler: content(nil, nil, opened), request: func(_ *stage, r *http.Request) {
		r.Header.Set("Range", "bytes=0-1999999,2100000-")
	}},
	{name: "ServeContent, Content-Encoding", handler: content(http.Header{"Content-Encoding": {"br"}}, nil, opened)},
	{name: "ServeContent, both headers", handler: content(
		http.Header{"Content-Encoding": {"br"}, "Content-Length": {strconv.Itoa(fileBytes)}}, nil, opened)},
	{name: "io.Copy(w, file), no length", handler: decideIOCopy(false, nil)},
	{name: "io.Copy(w, file), Content-Length", handler: decideIOCopy(true, nil)},
	{name: "io.Copy(w, file), HTTP/1.0", handler: decideIOCopy(false, nil), raw: "GET /data HTTP/1.0\r\n\r\n"},
	{name: "io.Copy(NewResponseWriter(w), file)", handler: decideIOCopy(true, hooked)},
	{name: "ServeContent(NewResponseWriter, ReadSeeker)", handler: content(nil, hooked, func(s *stage) io.ReadSeeker {
		return zerocopy.NewReadSeeker(s.file(), s.counting())
	})},
	{name: "w embedded", handler: decideIOCopy(true, func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		return hasEmbedded{w}
	})},
	{name: "w embedded, Unwrap", handler: decideIOCopy(true, func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		return embedsMore{w}
	})},
	{name: "w embedded, ReadFrom", handler: decideIOCopy(true, func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		return embedsFull{w}
	})},
	{name: "w embedded, Unwrap, NewHandler", handler: lending(func(w http.ResponseWriter) http.ResponseWriter {
		return embedsMore{w}
	})},
	{name: "w embedded, limit in ReadFrom", handler: body(func(s *stage, w http.ResponseWriter, r *http.Request) {
		http.ServeContent(embedsLimit{w}, r, "data", time.Time{}, s.file())
	})},
	{name: "TimeoutHandler", handler: func(s *stage) http.Handler {
		return http.TimeoutHandler(decideIOCopy(true, nil)(s), time.Minute, "")
	}},
	{name: "TLS", handler: decideIOCopy(true, nil), secure: 1},
	{name: "TLS, HTTP/2", handler: decideIOCopy(true, nil), secure: 2},
	{name: "unix listener", handler: decideIOCopy(true, nil), network: "unix"},
	{name: "listener that wraps connections", handler: decideIOCopy(true, nil), under: func(c net.Conn) net.Conn {
		return struct{ net.Conn }{c}
	}},
	{name: "ReverseProxy", handler: func(s *stage) http.Handler {
		back := httptest.NewServer(body(func(s *stage, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(fileBytes))
			w.Write(pattern(fileBytes))
		})(s))
		s.doors = append(s.doors, back.Close)
		return httputil.NewSingleHostReverseProxy(must(url.Parse(back.URL)))
	}},
	{name: "upload, io.Copy(file, r.Body)", handler: body(func(s *stage, w http.ResponseWriter, r *http.Request) {
		f := s.target(0)
		s.route = zerocopy.Path(f, r.Body)
		n, _ := io.Copy(f, r.Body)
		s.uploaded = n
	}), request: func(_ *stage, r *http.Request) {
		r.Method, r.ContentLength = http.MethodPost, feedBytes
		r.Body = io.NopCloser(io.LimitReader(zeros{}, feedBytes))
	}},
	{name: "client upload of a file", handler: body(func(s *stage, w http.ResponseWriter, r *http.Request) {
		s.uploaded, _ = io.Copy(s.summing(), r.Body)
	}), request: func(s *stage, r *http.Request) {
		r.Method, r.ContentLength, r.Body = http.MethodPost, fileBytes, s.file()
	}},
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// under is a listener whose connections are wrapped.
type underListener struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l underListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

// summing returns the digest of what arrives.
func (s *stage) summing() io.Writer {
	if s.sum == nil {
		s.sum = sha256.New()
	}
	return s.sum
}

// get starts the server of the case and requests the file.
func (c responseCase) get(s *stage, col column) (int64, zerocopy.Route, error) {
	srv := httptest.NewUnstartedServer(c.handler(s))
	if c.network == "unix" {
		srv.Listener.Close()
		srv.Listener = must(net.Listen("unix", filepath.Join(s.dir, "h")))
	}
	if c.under != nil {
		srv.Listener = underListener{srv.Listener, c.under}
	}
	if col == ours {
		srv.Listener = zerocopy.NewListener(srv.Listener, func(net.Conn) zerocopy.Hooks {
			return zerocopy.Hooks{Write: []zerocopy.Hook{s.counting()}}
		})
	}
	srv.EnableHTTP2 = c.secure == 2
	if c.secure > 0 {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	s.doors = append(s.doors, srv.Close)
	addr := srv.Listener.Addr()
	if c.raw != "" {
		conn := must(net.Dial("tcp", addr.String()))
		defer conn.Close()
		if _, err := io.WriteString(conn, c.raw); err != nil {
			return 0, zerocopy.Route{}, err
		}
		res := must(http.ReadResponse(bufio.NewReader(conn), nil))
		n, err := io.Copy(s.summing(), struct{ io.Reader }{res.Body})
		return n, s.route, err
	}
	client := srv.Client()
	transport := client.Transport.(*http.Transport)
	transport.DisableCompression = true
	base := srv.URL
	if c.network == "unix" {
		base = "http://unix"
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", addr.String())
		}
	}
	req := must(http.NewRequest(http.MethodGet, base+"/data", nil))
	if c.request != nil {
		c.request(s, req)
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, s.route, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(struct{ io.Reader }{res.Body})
	n := int64(len(body))
	if _, boundary, ok := strings.Cut(res.Header.Get("Content-Type"), "boundary="); ok {
		body = bytes.ReplaceAll(body, []byte(boundary), nil) // it is random
	}
	s.summing().Write(body)
	if res.StatusCode >= 300 {
		err = fmt.Errorf("status %d", res.StatusCode)
	}
	if s.uploaded > 0 {
		n = s.uploaded
	}
	return n, s.route, err
}
