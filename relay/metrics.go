package relay

import (
	"fmt"

	"github.com/VictoriaMetrics/metrics"
)

// relayMetrics holds the metrics of a relay.
type relayMetrics struct {
	set                *metrics.Set
	connections        *metrics.Counter
	closed             [endings]*metrics.Counter
	dialFailures       *metrics.Counter
	limited            *metrics.Counter
	toTarget, toClient directionMetrics
}

// metricsHelp is what the metrics say of themselves.
var metricsHelp = map[string]string{
	"thresh_relay_bytes_total":              "Bytes passed on, by direction and method.",
	"thresh_relay_connections_closed_total": "Closed connections, by how they ended.",
	"thresh_relay_connections_open":         "Open connections.",
	"thresh_relay_connections_total":        "Accepted connections.",
	"thresh_relay_dial_failures_total":      "Connections closed because the target could not be reached.",
	"thresh_relay_limit_waits_total":        "Waits for a free place below the limit of connections.",
	"thresh_relay_no_pipe_total":            "Times that there was no pipe, so that bytes were copied.",
	"thresh_relay_pipes_in_use":             "Pipes that connections hold.",
	"thresh_relay_pipes_open":               "Pipes that exist.",
	"thresh_relay_splice_calls_total":       "System calls that spliced.",
}

// directionMetrics holds the metrics of one direction, summed over all connections.
type directionMetrics struct {
	byCopy, bySplice *metrics.Counter // bytes
	splices          *metrics.Counter // system calls
	noPipe           *metrics.Counter
}

func newMetrics(r *Relay) *relayMetrics {
	set := metrics.NewSet()
	f := &relayMetrics{set: set,
		connections:  set.NewCounter("thresh_relay_connections_total"),
		dialFailures: set.NewCounter("thresh_relay_dial_failures_total"),
		limited:      set.NewCounter("thresh_relay_limit_waits_total"),
		toTarget:     newDirectionMetrics(set, "to_target"),
		toClient:     newDirectionMetrics(set, "to_client"),
	}
	for how := range endings {
		f.closed[how] = set.NewCounter(fmt.Sprintf("thresh_relay_connections_closed_total{how=%q}", how))
	}
	set.NewGauge("thresh_relay_connections_open", func() float64 { return float64(r.Stats().Open) })
	set.NewGauge("thresh_relay_pipes_open", func() float64 {
		open, _ := r.pipes.Open()
		return float64(open)
	})
	set.NewGauge("thresh_relay_pipes_in_use", func() float64 {
		_, used := r.pipes.Open()
		return float64(used)
	})
	return f
}

func newDirectionMetrics(set *metrics.Set, direction string) directionMetrics {
	bytes := func(method string) *metrics.Counter {
		return set.NewCounter(fmt.Sprintf("thresh_relay_bytes_total{direction=%q,method=%q}", direction, method))
	}
	return directionMetrics{byCopy: bytes("copy"), bySplice: bytes("splice"),
		splices: set.NewCounter(fmt.Sprintf("thresh_relay_splice_calls_total{direction=%q}", direction)),
		noPipe:  set.NewCounter(fmt.Sprintf("thresh_relay_no_pipe_total{direction=%q}", direction))}
}

// Stats counts what a relay has done since New.
type Stats struct {
	Open         int   // open connections
	Connections  int64 // accepted connections
	DialFailures int64 // accepted connections that were closed because the target could not be reached
	Bytes        int64 // bytes forwarded, both directions together
	Spliced      int64 // the part of Bytes that went by splice
	SpliceCalls  int64 // system calls for these
}

// Stats returns the counts so far.
func (r *Relay) Stats() Stats {
	f := r.metrics
	if f == nil {
		return Stats{}
	}
	r.mu.Lock()
	open := len(r.pairs)
	r.mu.Unlock()
	spliced := f.toTarget.bySplice.Get() + f.toClient.bySplice.Get()
	return Stats{
		Open:         open,
		Connections:  int64(f.connections.Get()),
		DialFailures: int64(f.dialFailures.Get()),
		Bytes:        int64(spliced + f.toTarget.byCopy.Get() + f.toClient.byCopy.Get()),
		Spliced:      int64(spliced),
		SpliceCalls:  int64(f.toTarget.splices.Get() + f.toClient.splices.Get()),
	}
}
