package serve

import (
	"bufio"
	"net/http"
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
