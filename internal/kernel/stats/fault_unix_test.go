//go:build unix

package stats

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// If a slice extends into memory that cannot be read, Add panics, as readers of mappings expect,
// and the summary is unchanged.
func TestFault(t *testing.T) {
	const readable = 3 * pieceBytes
	_, tail := kerneltest.Guarded(t, readable)
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, name := range typeNames {
			typ := mustType(t, name)
			fill(random, typ, kinds["normal"], tail)
			k := kernelOf(typ, add)
			for _, stride := range []int{typ.Width(), 13} {
				s, want := New(typ), New(typ)
				k.Add(s, tail, stride)
				k.Add(want, tail, stride)
				for _, before := range []int{0, 8, 8 * blockValues, readable} {
					start := unsafe.Pointer(unsafe.SliceData(tail[readable-before:]))
					if before == 0 {
						start = unsafe.Add(unsafe.Pointer(unsafe.SliceData(tail)), readable)
					}
					if !faults(k, s, unsafe.Slice((*byte)(start), before+2048), stride) {
						t.Fatalf("%s: no fault", name)
					}
					if !same(&s.all, &want.all) {
						t.Fatalf("%s: a fault after %d bytes left %+v, want %+v", name, before, said(s), said(want))
					}
				}
				k.Add(s, tail, stride)
				want.Merge(want)
				if !same(&s.all, &want.all) {
					t.Fatalf("%s: after faults %+v, want %+v", name, said(s), said(want))
				}
			}
		}
	})
}

// faults reports whether Add panicked over memory that cannot be read.
func faults(k *Kernel, s *Summary, b []byte, stride int) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	k.Add(s, b, stride)
	return false
}
