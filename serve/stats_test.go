package serve

import (
	"bufio"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{\w+="[^"\\]*"(?:, ?\w+="[^"\\]*")*\})?) (\S+)$`)

// figures parses the metrics as Prometheus would.
func (r *running) figures() map[string]float64 {
	r.t.Helper()
	w := httptest.NewRecorder()
	r.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	all := map[string]float64{}
	for line := range strings.Lines(w.Body.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			r.t.Fatalf("no line of the format: %q", line)
		}
		value, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			r.t.Fatal(err)
		}
		if _, twice := all[m[1]]; twice {
			r.t.Errorf("%s stands there twice", m[1])
		}
		all[m[1]] = value
	}
	return all
}

// counts waits for a figure: a client may have its answer before the server has counted it.
func (r *running) counts(name string, want float64) {
	r.t.Helper()
	var got float64
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if got = r.figures()[name]; got == want {
			return
		}
	}
	r.t.Errorf("%s is %v, want %v", name, got, want)
}

// sends waits until so many bytes are counted as sent by sendfile.
func (r *running) sends(want int64) {
	r.t.Helper()
	if !sendfileExpected {
		return
	}
	eventually(r.t, fmt.Sprint(want, " bytes by sendfile"), func() bool {
		return r.stats.plain.Bytes(zerocopy.BySendfile) == want
	})
}

func TestMetrics(t *testing.T) {
	r := start(t, func(o *Options) { o.LimitRate = 32 << 20 })
	c := r.dial(0)
	b := bufio.NewReader(c)
	for _, path := range []string{"/big.bin", "/small.txt", "/none"} {
		send(t, c, "GET "+path+" HTTP/1.1\r\n"+host+"\r\n")
		receive(t, b, "GET")
	}
	r.logged(3) // counted before they are logged
	all := r.figures()
	for name, want := range map[string]float64{
		`thresh_serve_requests_total{method="GET",status="2xx"}`: 2,
		`thresh_serve_requests_total{method="GET",status="4xx"}`: 1,
		`thresh_serve_requests_total{method="GET",status="5xx"}`: 0,
		`thresh_serve_bytes_total{path="sendfile"}`:              bigBytes,
		`thresh_serve_bytes_total{path="tls"}`:                   0,
		`thresh_serve_connections_total`:                         1,
		`thresh_serve_connections_open`:                          1,
		`thresh_serve_requests_in_flight`:                        0,
		`thresh_serve_access_log_lost_lines_total`:               0,
		`thresh_serve_request_seconds_count`:                     3,
		`thresh_serve_request_seconds_bucket{le="+Inf"}`:         3,
	} {
		if got, ok := all[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{
		`thresh_serve_bytes_total{path="copy"}`, `thresh_serve_slices_total`, `thresh_serve_rate_limit_waits_total`,
		`thresh_serve_request_seconds_sum`, `go_goroutines`,
	} {
		if all[name] <= 0 {
			t.Errorf("%s is %v", name, all[name])
		}
	}
}

// TestMetricsAreDocumented: every metric of the server is in the table of docs/serve.md, and nothing
// else is.
func TestMetricsAreDocumented(t *testing.T) {
	r := start(t, nil)
	r.stats.countH2Error("conn_PROTOCOL_ERROR_x") // appears with the first error
	page, err := os.ReadFile("../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(thresh_serve_[a-z0-9_]+)[`{]").FindAllStringSubmatch(string(page), -1) {
		documented[row[1]] = true
	}
	shown := map[string]bool{}
	for name := range r.figures() {
		name, _, _ = strings.Cut(name, "{")
		if strings.HasPrefix(name, "thresh_serve_request_seconds") {
			name = "thresh_serve_request_seconds"
		}
		if strings.HasPrefix(name, "thresh_") {
			shown[name] = true
		}
	}
	for name := range shown {
		if !documented[name] {
			t.Errorf("%s is not in docs/serve.md", name)
		}
	}
	for name := range documented {
		if !shown[name] {
			t.Errorf("%s is in docs/serve.md, but not shown", name)
		}
	}
}
