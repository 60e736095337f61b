package serve

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// sendH2 sends many requests over one HTTP/2 connection.
func (m *mixture) sendH2() {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	kinds := []struct {
		method, path, name, value string
		status                    int
	}{
		{"GET", "/small.txt", "", "", 200}, {"GET", "/big.bin", "", "", 200}, {"HEAD", "/big.bin", "", "", 200},
		{"GET", "/big.bin", "Range", "bytes=5-70000", 206}, {"GET", "/small.txt", "If-None-Match", m.etag, 304},
		{"GET", "/none", "", "", 404}, {"DELETE", "/none", "", "", 405}, {"OPTIONS", "/", "", "", 204}, {"GET", "/", "", "", 200},
		{"GET", "/small.txt", "If-Match", `"x"`, 412}, {"GET", "/small.txt", "Range", "bytes=10-", 416},
		{"GET", "/small.txt", "Host", "evil.example", 421},
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for _, k := range kinds {
				number := int(m.last.Add(1))
				r, err := http.NewRequest(k.method, fmt.Sprintf("https://%s%s?n=%d", m.addr, k.path, number), nil)
				if err != nil {
					m.t.Error(err)
					return
				}
				if k.name == "Host" {
					r.Host = k.value
				} else if k.name != "" {
					r.Header.Set(k.name, k.value)
				}
				resp, err := client.Do(r)
				if err != nil {
					m.t.Error(err)
					return
				}
				n, err := io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != k.status || resp.ProtoMajor != 2 {
					m.t.Errorf("%s %s: %s %s, %v", k.method, k.path, resp.Proto, resp.Status, err)
				}
				m.note(number, received{k.method + " " + k.path, k.method, resp.StatusCode, n, false})
			}
		})
	}
	all.Wait()
}

// h2Client is an HTTP/2 connection at the level of frames.
type h2Client struct {
	*http2.Framer
	conn   *tls.Conn
	fields *hpack.Encoder
	block  bytes.Buffer
}

func (r *running) dialH2() *h2Client {
	r.t.Helper()
	conn, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		r.t.Fatal(err)
	}
	return newH2Client(r.t, conn)
}

// newH2Client begins HTTP/2 on a connection.
func newH2Client(t *testing.T, conn *tls.Conn) *h2Client {
	t.Helper()
	send(t, conn, http2.ClientPreface)
	c := &h2Client{Framer: http2.NewFramer(conn, conn), conn: conn}
	c.fields = hpack.NewEncoder(&c.block)
	c.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := c.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	return c
}

// request sends a header of names and values, in as many frames as it needs.
func (c *h2Client) request(t *testing.T, stream uint32, fields ...string) {
	t.Helper()
	c.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		if err := c.fields.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			t.Fatal(err)
		}
	}
	const frameBytes = 16 << 10
	rest := c.block.Bytes()
	first := rest[:min(len(rest), frameBytes)]
	rest = rest[len(first):]
	err := c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndStream: true, EndHeaders: len(rest) == 0})
	for err == nil && len(rest) > 0 {
		next := rest[:min(len(rest), frameBytes)]
		rest = rest[len(next):]
		err = c.WriteContinuation(stream, len(rest) == 0, next)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// response reads until the stream or the connection ends. It returns the error code if it failed.
func (c *h2Client) response(t *testing.T, stream uint32) (status int, bodyBytes int64, failed http2.ErrCode) {
	t.Helper()
	for {
		frame, err := c.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			if status, err = strconv.Atoi(frame.PseudoValue("status")); err != nil {
				t.Fatal(err)
			}
			if frame.StreamEnded() {
				return status, 0, 0
			}
		case *http2.DataFrame:
			bodyBytes += int64(len(frame.Data()))
			if frame.StreamEnded() {
				return status, bodyBytes, 0
			}
		case *http2.RSTStreamFrame:
			return status, bodyBytes, frame.ErrCode
		case *http2.GoAwayFrame:
			return status, bodyBytes, frame.ErrCode
		}
	}
}

// sendH2Errors sends what net/http refuses over HTTP/2 by itself, and then breaks the connection. The server
// cannot see the former, and counts the latter. A refusal of its own is logged.
func (m *mixture) sendH2Errors() {
	t := m.t
	c := m.dialH2()
	get := func(more ...string) []string {
		path := fmt.Sprintf("/small.txt?n=%d", m.last.Add(1))
		return append([]string{":method", "GET", ":scheme", "https", ":authority", "x", ":path", path}, more...)
	}
	for i, k := range []struct {
		fields []string
		status int
		failed http2.ErrCode
		logged bool
	}{
		{get("connection", "close"), 400, 0, false},
		{get("te", "gzip"), 400, 0, false},
		{get(slices.Repeat([]string{"a", strings.Repeat("b", 4000)}, 40)...), 431, 0, false},
		{get(slices.Repeat([]string{"a", strings.Repeat("b", 4000)}, 20)...), 431, 0, true},
		{get(":method", "GET"), 0, http2.ErrCodeProtocol, false},
		{get("Upper", "case"), 0, http2.ErrCodeProtocol, false},
	} {
		stream := uint32(2*i + 1)
		c.request(t, stream, k.fields...)
		status, n, failed := c.response(t, stream)
		if status != k.status || failed != k.failed {
			t.Errorf("%.80q: status %d, %v", k.fields, status, failed)
		}
		if k.logged {
			m.note(int(m.last.Load())-2, received{"a long header", "GET", status, n, false})
		}
	}
	number := int(m.last.Add(1))
	c.request(t, 13, ":method", "GET", ":scheme", "https", ":authority", "x", ":path", fmt.Sprintf("/none?n=%d", number))
	status, n, _ := c.response(t, 13)
	m.note(number, received{"GET over frames", "GET", status, n, false})
	const name = `thresh_serve_http2_errors_total{error="frame_data_stream_0"}`
	before := m.figures()[name]
	if err := c.WriteRawFrame(http2.FrameData, 0, 0, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, failed := c.response(t, 0); failed != http2.ErrCodeProtocol {
		t.Errorf("%v for a broken connection", failed)
	}
	eventually(t, "the broken connection is counted", func() bool { return m.figures()[name] == before+1 })
}
