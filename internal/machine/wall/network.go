package wall

import (
	"fmt"
	"runtime"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/receipt"
)

// busyShare is the share of all processors from which on they, and not the network, hold a run back.
const busyShare = 0.85

// throttling handles runs whose server asked for fewer requests. Every such answer costs a pause.
func throttling(r *run) (Verdict, bool) {
	return Verdict{
		Wall: receipt.WallThrottling,
		Sentence: fmt.Sprintf("throttling: the server asked for fewer requests %d times; %s GB/s over %s",
			r.Refused, limits.Number(r.rate), r.connections()),
	}, r.Remote && r.Refused > 0
}

// network handles runs on remote objects that leave processors idle, or keep them busy with receiving.
func network(r *run) (Verdict, bool) {
	if !r.Remote {
		return Verdict{}, false
	}
	v := Verdict{Wall: receipt.WallNetwork, Sentence: fmt.Sprintf("network: %s GB/s over %s, whose answers began after %s",
		limits.Number(r.rate), r.connections(), short(r.Latency))}
	used := (r.User + r.System).Seconds() / max(r.Counters.Wall.Seconds(), 1e-9) / float64(runtime.GOMAXPROCS(0))
	v.Evidence = append(v.Evidence, fmt.Sprintf("processors were busy %s of the time", percent(used)))
	if used < busyShare || r.User+r.System == 0 {
		return v, true
	}
	v.Sentence += "; receiving kept all processors busy"
	return v, r.System >= r.User
}

func (r *run) connections() string {
	if r.Connections == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", r.Connections)
}
