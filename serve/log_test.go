package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

type logLine struct {
	client, user, request string
	status                int
	bytes                 int64
	referer, agent        string
}

var combined = regexp.MustCompile(`^(\S+) - (\S+) \[\d\d/\w+/\d{4}:\d\d:\d\d:\d\d [-+]\d{4}\] "([^"]*)" (\d+) (\d+) "([^"]*)" "([^"]*)"$`)

// logged waits for n lines.
func (r *running) logged(n int) (lines []logLine) {
	r.t.Helper()
	eventually(r.t, strconv.Itoa(n)+" lines in the log", func() bool {
		select {
		case r.Server.log.wake <- struct{}{}:
		default:
		}
		return strings.Count(r.log.String(), "\n") >= n
	})
	for line := range strings.Lines(r.log.String()) {
		m := combined.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			r.t.Fatalf("no line of the combined format: %q", line)
		}
		status, _ := strconv.Atoi(m[4]) // digits, by the expression
		bytes, err := strconv.ParseInt(m[5], 10, 64)
		if err != nil {
			r.t.Fatal(err)
		}
		lines = append(lines, logLine{m[1], m[2], m[3], status, bytes, m[6], m[7]})
	}
	return lines
}

func TestLogTellsWhatWent(t *testing.T) {
	r := start(t, nil)
	c := r.dial(0)
	b := bufio.NewReader(c)
	nasty := "\"a\\\t\xff] 200"
	send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"User-Agent: "+nasty+"\r\nReferer: http://r/\r\n\r\n")
	receive(t, b, "GET")
	for i, request := range []string{
		"GET /big.bin HTTP/1.1\r\n", "HEAD /big.bin HTTP/1.1\r\n", "GET /big.bin HTTP/1.1\r\nRange: bytes=0-9\r\n",
		"GET /none\"%0a HTTP/1.1\r\n", "GET / HTTP/1.1\r\n", "OPTIONS / HTTP/1.1\r\n",
	} {
		method, _, _ := strings.Cut(request, " ")
		send(t, c, request+host+"\r\n")
		resp, body := receive(t, b, method)
		line := r.logged(i + 2)[i+1]
		if line.bytes != int64(len(body)) || line.status != resp.StatusCode || !strings.HasPrefix(line.request, method) {
			t.Errorf("%s: %s, %d bytes, but logged %+v", request, resp.Status, len(body), line)
		}
	}
	first := r.logged(1)[0]
	if first.client != "127.0.0.1" || first.request != "GET /small.txt HTTP/1.1" || first.bytes != int64(len(smallBody)) ||
		first.referer != "http://r/" || first.agent != `\x22a\x5c\x09\xff] 200` {
		t.Errorf("logged %+v", first)
	}
}

func TestLogJSON(t *testing.T) {
	r := start(t, func(o *Options) { o.AccessJSON = true })
	c := r.dial(0)
	send(t, c, "GET /small.txt?\xe2\x82 HTTP/1.1\r\n"+host+"\r\n")
	b := bufio.NewReader(c)
	if resp, _ := receive(t, b, "GET"); resp.StatusCode != 400 && resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
	c = r.dial(0)
	send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"User-Agent: \"\\\t\xff\u2028é\r\n\r\n")
	receive(t, bufio.NewReader(c), "GET")
	eventually(t, "a line", func() bool { return strings.Contains(r.log.String(), "é") })
	lines := strings.Split(strings.TrimSpace(r.log.String()), "\n")
	var line struct {
		Time    time.Time
		Client  string
		Target  string
		Status  int
		Bytes   int64
		Seconds float64
		Agent   string
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil {
		t.Fatalf("%v in %q", err, lines)
	}
	if line.Client != "127.0.0.1" || line.Target != "/small.txt" || line.Status != 200 || line.Bytes != 6 ||
		line.Agent != "\"\\\t\ufffd\u2028é" || line.Time.IsZero() || line.Seconds <= 0 {
		t.Errorf("%+v", line)
	}
}

// fails is a log that temporarily cannot be written.
type fails struct {
	safeBuffer
	times int
	short int
}

var errFull = errors.New("no space left")

func (f *fails) Write(p []byte) (int, error) {
	if f.times--; f.times >= 0 {
		n, err := f.safeBuffer.Write(p[:min(f.short, len(p))])
		return n, errors.Join(err, errFull)
	}
	return f.safeBuffer.Write(p)
}

// TestLogRecovers: a write fails within its second line; the next lines begin on a new line.
func TestLogRecovers(t *testing.T) {
	w := &fails{times: 2, short: 75}
	var reported errorList
	l := newAccessLog(w, false, reported.add, newStats())
	r := &http.Request{Method: "GET", RequestURI: "/x", Proto: "HTTP/1.1"}
	put := func(n int) {
		for range n {
			l.add(r, &outcome{began: time.Unix(0, 0), client: "c", status: 200})
		}
		l.wake <- struct{}{}
		eventually(t, "the lines are taken", func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return len(l.lines) == 0
		})
	}
	put(3)
	put(1)
	put(2)
	l.close(t.Context())
	if n := reported.containing("no space left"); n != 1 {
		t.Errorf("%d errors", n)
	}
	if got := l.stats.logLost.Get(); got != 3 && got != 4 {
		t.Errorf("%d lines lost", got)
	}
	lines := strings.Split(strings.TrimSpace(w.String()), "\n")
	for i, line := range lines[len(lines)-2:] {
		if !combined.MatchString(line) {
			t.Errorf("line %d is broken: %q", i, line)
		}
	}
}

func TestLogOnFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here:", err)
	}
	defer full.Close()
	serveInSpiteOf(t, full, "no space left")
}

func TestLogOnClosedPipe(t *testing.T) {
	rd, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rd.Close()
	serveInSpiteOf(t, w, "broken pipe")
}

func serveInSpiteOf(t *testing.T, log io.Writer, why string) {
	r := start(t, func(o *Options) { o.AccessLog = log })
	for range 3 {
		c := r.dial(0)
		send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
		if _, body := receive(t, bufio.NewReader(c), "GET"); string(body) != smallBody {
			t.Errorf("%q", body)
		}
		c.Close()
	}
	eventually(t, "all lines are lost", func() bool { return r.stats.logLost.Get() == 3 })
	// Lost lines are counted before the error is reported.
	eventually(t, "one error", func() bool { return r.errs.containing(why) == 1 })
}

// stuck is a log that blocks until it is released.
type stuck struct{ goOn chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.goOn
	return len(p), nil
}

// TestLogStuck: responses do not wait for the log, and its memory is limited.
func TestLogStuck(t *testing.T) {
	s := stuck{make(chan struct{})}
	l := newAccessLog(s, false, func(error) {}, newStats())
	r := &http.Request{Method: "GET", RequestURI: "/" + strings.Repeat("x", 4000), Proto: "HTTP/1.1"}
	const lines = 3 * logBytesMax / 4000
	for range lines {
		l.add(r, &outcome{})
	}
	if lost := l.stats.logLost.Get(); lost == 0 || lost >= lines {
		t.Errorf("%d of %d lines are lost", lost, lines)
	}
	close(s.goOn)
	l.close(t.Context())
}
