package limits

import (
	"encoding/binary"
	"math/rand/v2"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// The scan behind a ceiling ORs all words. It reads every byte, whatever the bytes are, and does
// nothing else, so no kernel that answers a question is faster on the same memory.

// scan returns the OR of the whole words of b, with the best variant of that loop.
func scan(b []byte) uint64 { return scanBy(best, b) }

var best = kernel.Choose(scans).Func

// shortBytes is the length from which a vector variant repays its set-up.
const shortBytes = 256

func scanBy(scan func([]byte) uint64, b []byte) uint64 {
	if len(b) < shortBytes {
		return scanPlain(b)
	}
	return scan(b)
}

// scanPlain ORs eight words per iteration into four accumulators, so that loads do not wait for
// each other.
func scanPlain(b []byte) uint64 {
	groups := unsafe.Slice((*[8]uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/64)
	var a0, a1, a2, a3 uint64
	for i := range groups {
		g := &groups[i]
		a0 |= g[0] | g[4]
		a1 |= g[1] | g[5]
		a2 |= g[2] | g[6]
		a3 |= g[3] | g[7]
	}
	return a0 | a1 | a2 | a3 | scanTail(b[len(groups)*64:])
}

// scanTail ORs the whole words of a short rest.
func scanTail(b []byte) (or uint64) {
	for ; len(b) >= 8; b = b[8:] {
		or |= binary.NativeEndian.Uint64(b)
	}
	return or
}

var plainScan = kernel.Variant[func([]byte) uint64]{ISA: cpu.Plain, Func: scanPlain}

// touch reads one byte of every stride, which faults pages in but moves hardly any bytes.
func touch(b []byte, stride int) (or byte) {
	for i := 0; i < len(b); i += stride {
		or |= b[i]
	}
	return or
}

// fillRandom fills b with bytes that do not compress. The seed is fixed, so that measurements are
// comparable.
func fillRandom(b []byte) {
	source := rand.NewPCG(1, 2)
	for ; len(b) >= 8; b = b[8:] {
		binary.NativeEndian.PutUint64(b, source.Uint64())
	}
}

func putCounter(b []byte, n uint64) { binary.NativeEndian.PutUint64(b, n) }

// Probes returns the benchmark tasks of the scan.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("limits scan", 8, 0, scans, func(f func([]byte) uint64, n int) kernel.Work {
		b := make([]byte, n)
		fillRandom(b)
		return kernel.Repeat(func() uint64 { return scanBy(f, b) })
	})}
}
