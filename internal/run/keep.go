package run

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/memory"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/options"
)

const (
	// keptShare is the part of the available memory that the bytes of a question may fill: half. The
	// other half is for the programs and files that people use beside them.
	keptShare = 2
	// keptUnasked is so little that the system is not asked for its memory, which takes as long as
	// scanning a MiB.
	keptUnasked = 16 << 20
)

// keep decides whether the bytes of a question stay in the page cache for the next question, and says
// why not.
func keep(f *source.File, left []source.Region, policy options.Cache) (bool, string) {
	switch {
	case f.OS() == nil || f.Kind == source.Stream:
		return false, ""
	case policy == options.CacheKeep:
		return true, ""
	case policy == options.CacheNeutral:
		return false, "Run.Cache neutral"
	case uncached(left) == 0:
		return true, ""
	}
	if reason := tooMuchToKeep(source.TotalBytes(left)*(1+f.Others()), memory.AvailableBytes); reason != "" {
		return false, reason
	}
	return true, ""
}

// tooMuchToKeep returns why a number of bytes does not fit comfortably into memory, "" if it does.
// Where the system does not tell its memory, which is 0 then, everything fits.
func tooMuchToKeep(bytes int64, availableBytes func() (int64, error)) string {
	if bytes <= keptUnasked {
		return ""
	}
	available, err := availableBytes()
	switch {
	case err != nil:
		return fmt.Sprintf("how much memory is available is unknown: %v", err)
	case available > 0 && bytes > available/keptShare:
		return fmt.Sprintf("%s is more than half of the %s of memory that is available",
			bytesize.Precise(bytes), bytesize.Precise(available))
	}
	return ""
}

// nextTextMin is the least range that a receipt says about whether the next question finds it in memory.
const nextTextMin = 1 << 20

// nextQuestion returns how many bytes of a range are in the page cache now, and says what that means for
// the next question; "" if the system does not tell, or for little work. Of a compressed input it is the
// compressed file.
func (in *Input) nextQuestion(span source.Range, skipped int64) (cachedBytes int64, text string) {
	f := in.file
	if in.compressed != nil {
		f = in.compressed.file
		span, skipped = source.Range{End: f.Bytes}, 0
	}
	if f.OS() == nil || f.Kind == source.Stream {
		return 0, ""
	}
	cachedBytes, err := f.CachedBytes(span)
	all := span.Len() - skipped
	switch {
	case err != nil || all < nextTextMin:
		return cachedBytes, ""
	case cachedBytes >= all-all/100:
		return cachedBytes, "the next question reads from memory"
	case cachedBytes < all/100:
		return cachedBytes, "the next question reads from storage again"
	}
	return cachedBytes, fmt.Sprintf("the next question finds %s of %s in memory", bytesize.Precise(cachedBytes),
		bytesize.Precise(all))
}

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
	if k.seen.Add(bytes); k.full() {
		return options.CacheNeutral
	}
	return options.CacheAuto
}

// full reports whether more inputs have been counted than fit.
func (k *keepBudget) full() bool {
	seen := k.seen.Load()
	return seen > keptUnasked && seen > k.bytes()
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
