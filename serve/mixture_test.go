package serve

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// mixture sends requests of all kinds and notes what came back. Each request has a number in its
// target, by which its line in the log is found.
type mixture struct {
	*running
	etag string
	dial func() (net.Conn, error)

	last atomic.Int64
	mu   sync.Mutex
	got  map[int]received
	// unnamed counts responses whose request the server cannot name, by protocol, status and bytes.
	unnamed map[string]int
}

// received is a response as a client has seen it.
type received struct {
	request string // for messages
	method  string
	status  int
	bytes   int64
	aborted bool // the client left after so many bytes
}

func newMixture(r *running, dial func() (net.Conn, error)) *mixture {
	if dial == nil {
		dial = func() (net.Conn, error) { return net.Dial("tcp", r.addr) }
	}
	return &mixture{running: r, dial: dial, got: map[int]received{}, unnamed: map[string]int{}}
}

// learn finds out the entity tag of the small file, which does not change once the file is old.
func (m *mixture) learn() {
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(m.folder, "small.txt"), old, old); err != nil {
		m.t.Fatal(err)
	}
	m.converse(true, step{"HEAD /small.txt?N HTTP/1.1\r\n" + host, 200})
}

// step is a request, whose N in the target becomes a number, and the status of its response.
type step struct {
	head   string
	status int
}

// converse sends steps on one connection, all at once or one after the other.
func (m *mixture) converse(pipelined bool, steps ...step) {
	conn, err := m.dial()
	if err != nil {
		m.t.Error(err)
		return
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		m.t.Error(err)
		return
	}
	from := bufio.NewReader(conn)
	numbers, requests := make([]int, len(steps)), make([]string, len(steps))
	for i, s := range steps {
		numbers[i] = int(m.last.Add(1))
		requests[i] = strings.Replace(s.head, "?N", fmt.Sprintf("?n=%d", numbers[i]), 1)
		requests[i] = strings.Replace(requests[i], "{etag}", m.tag(""), 1) + "\r\n"
	}
	if pipelined {
		// A server that has read enough resets the connection, and this write fails.
		_, _ = io.WriteString(conn, strings.Join(requests, ""))
	}
	for i, s := range steps {
		if !pipelined {
			_, _ = io.WriteString(conn, requests[i]) // likewise
		}
		method, _, _ := strings.Cut(s.head, " ")
		resp, err := http.ReadResponse(from, &http.Request{Method: method})
		if err != nil {
			m.t.Errorf("%.60q: %v", requests[i], err)
			return
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || resp.StatusCode != s.status {
			m.t.Errorf("%.60q: %s, want %d, %v", requests[i], resp.Status, s.status, err)
		}
		m.tag(resp.Header.Get("Etag"))
		m.note(numbers[i], received{requests[i], method, resp.StatusCode, n, false})
	}
}

// tag keeps the first ETag, and returns it.
func (m *mixture) tag(got string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.etag == "" {
		m.etag = got
	}
	return m.etag
}

func (m *mixture) note(number int, r received) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got[number] = r
}

func (m *mixture) noteUnnamed(proto string, status int, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unnamed[fmt.Sprint(proto, " ", status, " ", bytes)]++
}

// abort requests the big file and resets the connection after some bytes.
func (m *mixture) abort() {
	conn, err := m.dial()
	if err != nil {
		m.t.Error(err)
		return
	}
	defer conn.Close()
	number := int(m.last.Add(1))
	request := fmt.Sprintf("GET /big.bin?n=%d HTTP/1.1\r\n%s\r\n", number, host)
	n := int64(1 + rand.IntN(1<<20))
	if _, err := io.WriteString(conn, request); err != nil {
		m.t.Error(err)
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil {
		m.t.Error(err)
		return
	}
	if _, err := io.CopyN(io.Discard, resp.Body, n); err != nil {
		m.t.Error(err)
	}
	if err := rawConn(conn).SetLinger(0); err != nil {
		m.t.Error(err)
	}
	m.note(number, received{request, "GET", resp.StatusCode, n, true})
}

// rawConn returns the connection below TLS.
func rawConn(conn net.Conn) *net.TCPConn {
	if t, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = t.NetConn()
	}
	return conn.(*net.TCPConn)
}

var numbered = regexp.MustCompile(`\?n=(\d+)`)

// compare compares what the clients got with the log, and the log with the metrics, and returns how
// many responses there were.
func (m *mixture) compare() int {
	t := m.t
	t.Helper()
	total := len(m.got)
	for _, n := range m.unnamed {
		total += n
	}
	classes := map[string]float64{}
	seen := map[int]bool{}
	for deadline := time.Now().Add(patience / 4); strings.Count(m.log.String(), "\n") < total; {
		if time.Sleep(logFlushWait / 10); time.Now().After(deadline) {
			t.Errorf("%d responses, %d lines in the log", total, strings.Count(m.log.String(), "\n"))
			break
		}
	}
	for _, line := range m.logged(0) {
		method, rest, _ := strings.Cut(line.request, " ")
		label := "other"
		if method == "GET" || method == "HEAD" || method == "OPTIONS" {
			label = method
		}
		class := "none"
		if line.status > 0 {
			class = fmt.Sprintf("%dxx", line.status/100)
		}
		classes[fmt.Sprintf(`thresh_serve_requests_total{method=%q,status=%q}`, label, class)]++
		number := numbered.FindStringSubmatch(line.request)
		if number == nil {
			key := fmt.Sprint(rest[strings.LastIndexByte(rest, ' ')+1:], " ", line.status, " ", line.bytes)
			if m.unnamed[key]--; m.unnamed[key] < 0 {
				t.Errorf("nobody got %+v", line)
			}
			continue
		}
		n, err := strconv.Atoi(number[1])
		if err != nil {
			t.Fatal(err)
		}
		got, ok := m.got[n]
		switch {
		case !ok || seen[n]:
			t.Errorf("logged but not received, or twice: %+v", line)
		case line.status != got.status || line.bytes != got.bytes && !got.aborted || line.bytes < got.bytes ||
			got.aborted && line.bytes > bigBytes:
			t.Errorf("%.60q: received %d with %d bytes, logged %+v", got.request, got.status, got.bytes, line)
		case method != got.method && !strings.HasPrefix(got.request, method):
			t.Errorf("%.60q: logged %+v", got.request, line)
		}
		seen[n] = true
	}
	if len(seen) != len(m.got) {
		t.Errorf("%d responses with a number, %d in the log", len(m.got), len(seen))
	}
	for key, n := range m.unnamed {
		if n != 0 {
			t.Errorf("%s: %d are missing in the log", key, n)
		}
	}
	figures := m.figures()
	for name, value := range figures {
		if strings.HasPrefix(name, "thresh_serve_requests_total") && value != classes[name] {
			t.Errorf("%s is %v, in the log %v", name, value, classes[name])
		}
		delete(classes, name)
	}
	if len(classes) > 0 {
		t.Errorf("no metric counts %v", classes)
	}
	if n := figures["thresh_serve_request_seconds_count"]; n != float64(total) {
		t.Errorf("%v durations of %d responses", n, total)
	}
	if n := figures["thresh_serve_requests_in_flight"]; n != 0 {
		t.Errorf("%v requests in flight", n)
	}
	return total
}
