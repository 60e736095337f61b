package serve

import (
	"bufio"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBodyNeedNotCome: a request whose body does not arrive is answered at once, and one whose body arrives later
// keeps its connection.
func TestBodyNeedNotCome(t *testing.T) {
	r := start(t, func(o *Options) { o.HeaderTimeout = time.Hour })
	conn := r.dial(0)
	from := bufio.NewReader(conn)
	send(t, conn, "POST /small.txt HTTP/1.1\r\n"+host+"Content-Length: 10\r\n\r\nabc")
	if resp, _ := receive(t, from, "POST"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("status %s", resp.Status)
	}
	send(t, conn, "defghij"+"GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	if resp, body := receive(t, from, "GET"); resp.StatusCode != http.StatusOK || string(body) != smallBody {
		t.Errorf("status %s, %q", resp.Status, body)
	}
}

// TestRefusedAtOnce: what cannot become a request is refused as soon as its first line is there, and half a header when
// the client says that it was all. Each is logged with that line.
func TestRefusedAtOnce(t *testing.T) {
	for name, r := range map[string]*running{"plain": start(t, nil), "TLS": startTLS(t)} {
		lines := 0
		for _, c := range []struct {
			sent   string
			ends   bool
			status int
			line   string
		}{
			{"USER anonymous\r\n", false, 400, "USER anonymous"},
			{"GET /small.txt HTTP/3.0\r\n", false, 505, "GET /small.txt HTTP/3.0"},
			{"\r\n", false, 400, ""},
			{"GET /small.txt HTTP/1.1\r\nHost: x\r\nA", true, 400, "GET /small.txt HTTP/1.1"},
			{"HEAD /small.txt HTTP/1.1\r\nHost:", true, 400, "HEAD /small.txt HTTP/1.1"},
		} {
			var conn interface {
				net.Conn
				CloseWrite() error
			} = r.dial(0)
			if name == "TLS" {
				conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
			}
			send(t, conn, c.sent)
			if c.ends {
				if err := conn.CloseWrite(); err != nil {
					t.Fatal(err)
				}
			}
			from := bufio.NewReader(conn)
			method, _, _ := strings.Cut(c.sent, " ")
			resp, body := receive(t, from, method)
			if resp.StatusCode != c.status || !resp.Close {
				t.Errorf("%s, %q: %s", name, c.sent, resp.Status)
			}
			ended(t, from)
			lines++
			if got := r.logged(lines)[lines-1]; got.request != c.line || got.status != c.status || got.bytes != int64(len(body)) {
				t.Errorf("%s, %q: logged %+v, %d bytes came", name, c.sent, got, len(body))
			}
		}
	}
}

// TestLongHeader: a header may have 64 KiB, and the next request may follow at once.
func TestLongHeader(t *testing.T) {
	r := start(t, nil)
	long := "GET /small.txt HTTP/1.1\r\n" + host + "A: "
	long += strings.Repeat("b", headerBytesMax-len(long)-len("\r\n\r\n")) + "\r\n\r\n"
	for _, piece := range []int{1000, headerBytesMax} {
		conn := r.dial(0)
		from := bufio.NewReader(conn)
		all := long + long + "GET /small.txt HTTP/1.1\r\n" + host + "\r\n"
		for part := range slices.Chunk([]byte(all), piece) {
			send(t, conn, string(part))
		}
		for range 3 {
			if resp, body := receive(t, from, "GET"); resp.StatusCode != 200 || string(body) != smallBody {
				t.Errorf("in pieces of %d: %s, %q", piece, resp.Status, body)
			}
		}
		send(t, conn, strings.Replace(long, "A: ", "A: b", 1))
		if resp, _ := receive(t, from, "GET"); resp.StatusCode != 431 {
			t.Errorf("one byte more: %s", resp.Status)
		}
	}
}
