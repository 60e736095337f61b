package run

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/machine/memory"
	"github.com/thresh-dev/thresh/options"
)

// keepBudget decides for each of many inputs whether its bytes stay in the page cache. Each of them may
// fit comfortably while all of them do not: then the later ones would push the earlier ones out, and
// nothing would be gained. So the first ones stay, as many as fit together, and the page cache is left as
// it was by the others. The zero value is ready for use, also concurrently.
type keepBudget struct {
	seen atomic.Int64 // bytes of the inputs so far
	ask  sync.Once
	most int64 // what fits
}

// policy returns the policy for an input of that many bytes, which it counts.
func (k *keepBudget) policy(o *Options, bytes int64) options.Cache {
	if o.Cache != options.CacheAuto {
		return o.Cache
	}
	if seen := k.seen.Add(bytes); seen > keptUnasked && seen > k.bytes() {
		return options.CacheNeutral
	}
	return options.CacheAuto
}

// bytes returns how many bytes of all inputs fit comfortably.
func (k *keepBudget) bytes() int64 {
	k.ask.Do(func() {
		switch available, err := memory.AvailableBytes(); {
		case err != nil:
			k.most = 0
		case available == 0: // unknown
			k.most = math.MaxInt64
		default:
			k.most = available / keptShare
		}
	})
	return k.most
}

// bytesRead returns about how many bytes of a file are read for an input: those of a compressed one, or
// of the range.
func (in *Input) bytesRead(o *Options) int64 {
	switch {
	case in.compressed != nil:
		return max(in.compressed.file.Bytes, 0)
	case o.Length != nil:
		return min(max(in.file.Bytes, 0), *o.Length)
	}
	return max(in.file.Bytes, 0)
}
