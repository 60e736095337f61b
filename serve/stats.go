package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/exposition"
	"github.com/thresh-dev/thresh/zerocopy"
)

// stats holds the metrics of a server. Their names are a promise to dashboards.
type stats struct {
	set           *metrics.Set
	plain         zerocopy.Counter // bytes sent on connections without TLS
	encrypted     zerocopy.Counter // bytes sent on connections with TLS: bodies, headers and encryption overhead
	tls           atomic.Int64     // bytes of bodies sent by TLS
	requests      [len(methodNames)][6]*metrics.Counter
	durations     histogram
	connections   *metrics.Counter
	refused       *metrics.Counter
	open          atomic.Int64
	inFlight      atomic.Int64
	slices        *metrics.Counter
	waits         *metrics.Counter
	logLost       *metrics.Counter
	reloads       *metrics.Counter
	badReloads    *metrics.Counter
	denied        *metrics.Counter
	unchecked     *metrics.Counter
	evicted       *metrics.Counter
	badHandshakes *metrics.Counter
	hostsRefused  *metrics.Counter
	streamsReset  *metrics.Counter
	early         *metrics.Counter
	crowded       *metrics.Counter
	proxyHeaders  proxyHeaders
}

var (
	methodNames = [...]string{"GET", "HEAD", "OPTIONS", "other"}
	statusNames = [6]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"} // none: the client left before the response
)

func newStats() *stats {
	s := &stats{set: metrics.NewSet()}
	for i, method := range methodNames {
		for j, status := range statusNames {
			s.requests[i][j] = s.set.NewCounter(
				fmt.Sprintf(`thresh_serve_requests_total{method=%q,status=%q}`, method, status))
		}
	}
	for _, m := range []zerocopy.Method{zerocopy.BySendfile, zerocopy.BySplice, zerocopy.ByCopy} {
		s.set.NewGauge(fmt.Sprintf(`thresh_serve_bytes_total{path=%q}`, m), func() float64 {
			return float64(s.plain.Bytes(m))
		})
	}
	s.set.NewGauge(`thresh_serve_bytes_total{path="tls"}`, func() float64 { return float64(s.tls.Load()) })
	s.set.NewGauge(`thresh_serve_connections_open`, func() float64 { return float64(s.open.Load()) })
	s.set.NewGauge(`thresh_serve_requests_in_flight`, func() float64 { return float64(s.inFlight.Load()) })
	s.connections = s.set.NewCounter(`thresh_serve_connections_total`)
	s.refused = s.set.NewCounter(`thresh_serve_connections_refused_total`)
	s.slices = s.set.NewCounter(`thresh_serve_slices_total`)
	s.waits = s.set.NewCounter(`thresh_serve_rate_limit_waits_total`)
	s.logLost = s.set.NewCounter(`thresh_serve_access_log_lost_lines_total`)
	s.reloads = s.set.NewCounter(`thresh_serve_certificate_reloads_total{result="ok"}`)
	s.badReloads = s.set.NewCounter(`thresh_serve_certificate_reloads_total{result="failed"}`)
	s.denied = s.set.NewCounter(`thresh_serve_passwords_denied_total`)
	s.unchecked = s.set.NewCounter(`thresh_serve_passwords_unchecked_total`)
	s.evicted = s.set.NewCounter(`thresh_serve_connections_evicted_total`)
	s.streamsReset = s.set.NewCounter(`thresh_serve_http2_streams_given_up_total`)
	s.badHandshakes = s.set.NewCounter(`thresh_serve_tls_handshake_errors_total`)
	s.hostsRefused = s.set.NewCounter(`thresh_serve_hosts_refused_total`)
	s.early = s.set.NewCounter(`thresh_serve_requests_refused_total{limit="requests"}`)
	s.crowded = s.set.NewCounter(`thresh_serve_requests_refused_total{limit="connections"}`)
	s.proxyHeaders = newProxyHeaders(s.set)
	return s
}

// watchListings adds the metrics of the document root.
func (s *stats) watchListings(root *docroot.Root) {
	s.set.NewGauge(`thresh_serve_folders_read_total`, func() float64 {
		reads, _ := root.ListingStats()
		return float64(reads)
	})
	s.set.NewGauge(`thresh_serve_listing_cache_bytes`, func() float64 {
		_, bytes := root.ListingStats()
		return float64(bytes)
	})
}

// countH2Error counts an error of a client that speaks HTTP/2, by the name that net/http gives it.
func (s *stats) countH2Error(name string) {
	s.set.GetOrCreateCounter(fmt.Sprintf(`thresh_serve_http2_errors_total{error=%q}`, name)).Inc()
}

func (s *stats) countRequest(method string, o *outcome) {
	m := len(methodNames) - 1
	for i, name := range methodNames[:m] {
		if name == method {
			m = i
		}
	}
	class := o.status / 100
	if class >= len(statusNames) {
		class = 0
	}
	s.requests[m][class].Inc()
	s.durations.add(o.took)
}

// ServeHTTP sends the metrics in the Prometheus text format.
func (s *stats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if r.Method == http.MethodHead {
		return
	}
	var samples bytes.Buffer
	s.set.WritePrometheus(&samples)
	s.durations.write(&samples, "thresh_serve_request_seconds")
	metrics.WriteProcessMetrics(&samples)                 // memory, descriptors, garbage collection
	_ = exposition.Write(w, samples.Bytes(), metricsHelp) // the client has left
}

// bounds are the bucket bounds for request durations. Small files take less than a millisecond,
// downloads hours.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 10 * time.Minute, time.Hour,
}

// histogram counts durations in the buckets of Prometheus; the metrics library uses another format.
type histogram struct {
	buckets [len(bounds) + 1]atomic.Int64
	nanos   atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.nanos.Add(int64(d))
}

func (h *histogram) write(w io.Writer, name string) {
	var below int64
	for i := range h.buckets {
		below += h.buckets[i].Load()
		le := "+Inf"
		if i < len(bounds) {
			le = strconv.FormatFloat(bounds[i].Seconds(), 'g', -1, 64)
		}
		metrics.WriteCounterUint64(w, fmt.Sprintf("%s_bucket{le=%q}", name, le), uint64(below))
	}
	metrics.WriteCounterFloat64(w, name+"_sum", time.Duration(h.nanos.Load()).Seconds())
	metrics.WriteCounterUint64(w, name+"_count", uint64(below))
}

// metricsHelp is what the metrics say of themselves.
var metricsHelp = map[string]string{
	"thresh_serve_access_log_lost_lines_total":  "Lines of the access log that could not be written.",
	"thresh_serve_bytes_total":                  "Bytes sent, by the way that they took.",
	"thresh_serve_certificate_reloads_total":    "Reloads of changed certificate files.",
	"thresh_serve_connections_evicted_total":    "Idle connections closed to make room for others.",
	"thresh_serve_connections_open":             "Open connections.",
	"thresh_serve_connections_refused_total":    "Connections refused by the limit for an address.",
	"thresh_serve_connections_total":            "Accepted connections.",
	"thresh_serve_folders_read_total":           "Folders read to be listed.",
	"thresh_serve_hosts_refused_total":          "Requests for a host that is not answered.",
	"thresh_serve_http2_errors_total":           "Errors of clients that speak HTTP/2, by the name that Go gives them.",
	"thresh_serve_http2_streams_given_up_total": "Streams of HTTP/2 that were reset because the client took nothing.",
	"thresh_serve_listing_cache_bytes":          "Bytes of listings kept in memory.",
	"thresh_serve_passwords_denied_total":       "Requests with a wrong name or password.",
	"thresh_serve_passwords_unchecked_total":    "Requests refused without a check of their password.",
	"thresh_serve_proxy_headers_total":          "Headers of the PROXY protocol, by what they said.",
	"thresh_serve_rate_limit_waits_total":       "Waits of a millisecond or more for the rate limit.",
	"thresh_serve_request_seconds":              "Time until a response had left.",
	"thresh_serve_requests_in_flight":           "Requests in progress.",
	"thresh_serve_requests_refused_total":       "Requests refused by the limits for an address.",
	"thresh_serve_requests_total":               "Responses by method and class of status.",
	"thresh_serve_slices_total":                 "Calls that sent a part of a response.",
	"thresh_serve_tls_handshake_errors_total":   "Connections that ended within the TLS handshake.",
}
