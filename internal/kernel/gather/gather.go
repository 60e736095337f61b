// Package gather makes values contiguous that begin every so many bytes, such as the members of
// records. What works on columns can then work on any stride.
//
// Several values that lie within 16 bytes are gathered at once: the vector at the first of them is
// loaded, a shuffle moves their bytes together, and all 16 bytes are stored; the next vector
// overwrites those that are not values. The shuffle is the same everywhere, since every vector is
// loaded where a value begins:
//
//	stride 5, width 4    AAAA.BBBB.CCCC..    ->    AAAABBBBCCCC
//
// Values further apart are copied one by one, which costs less than waiting for their memory.
package gather

import (
	"fmt"
	"hash/maphash"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Func is the signature of the kernel. It fills to, whole values of width bytes, with the values
// that begin every stride bytes from the start of b. The width is 1, 2, 4 or 8 and the stride at
// least 1; if it is less than the width, values overlap. b must hold the values, and nothing
// outside it is read.
type Func = func(to, b []byte, width, stride int)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: gatherPlain})

// Best returns the fastest variant that can run here. Choose once per job, not once per call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }

// Count returns how many whole values b holds.
func Count(b []byte, width, stride int) int {
	if len(b) < width {
		return 0
	}
	return (len(b)-width)/stride + 1
}

// vectorBytes is the length of the vectors.
const vectorBytes = 16

// shuffle is an index into a vector for each byte of another, above 15 for a zero.
type shuffle [vectorBytes]uint8

// together returns the shuffle for the values that lie within a vector, and how many there are.
func together(width, stride int) (s shuffle, values int) {
	values = min((vectorBytes-width)/stride+1, vectorBytes/width)
	for i := range s {
		if s[i] = 0x80; i < values*width {
			s[i] = uint8(i/width*stride + i%width)
		}
	}
	return s, values
}

// each copies value by value.
func each(to, b []byte, width, stride int) {
	switch width {
	case 1:
		copyEach[uint8](to, b, stride)
	case 2:
		copyEach[uint16](to, b, stride)
	case 4:
		copyEach[uint32](to, b, stride)
	default:
		copyEach[uint64](to, b, stride)
	}
}

// copyEach copies four values at a time, then one.
func copyEach[T uint8 | uint16 | uint32 | uint64](to, b []byte, stride int) {
	width := int(unsafe.Sizeof(T(0)))
	n := len(to) / width
	if n == 0 {
		return
	}
	_ = b[(n-1)*stride+width-1]
	from := unsafe.Pointer(unsafe.SliceData(b))
	values := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(to))), n)
	at := 0
	for ; len(values) >= 4; values = values[4:] { // unaligned; every machine that Go supports allows that
		values[0] = *(*T)(unsafe.Add(from, at))
		values[1] = *(*T)(unsafe.Add(from, at+stride))
		values[2] = *(*T)(unsafe.Add(from, at+2*stride))
		values[3] = *(*T)(unsafe.Add(from, at+3*stride))
		at += 4 * stride
	}
	for i := range values {
		values[i] = *(*T)(unsafe.Add(from, at))
		at += stride
	}
}

// Probes returns the benchmark tasks of the family: members of records that are near each other,
// and of some that are not.
func Probes() (all []kernel.Probe) {
	seed := maphash.MakeSeed()
	for _, layout := range []struct{ width, stride int }{{1, 3}, {4, 12}, {8, 24}} {
		name := fmt.Sprintf("gather %d of %d", layout.width, layout.stride)
		all = append(all, kernel.NewProbe(name, layout.stride, 0, variants, func(f Func, n int) kernel.Work {
			b, to := make([]byte, n), make([]byte, n/layout.stride*layout.width)
			for i := range b {
				b[i] = byte(i % 251)
			}
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						f(to, b, layout.width, layout.stride)
					}
				},
				Answer: func() any {
					clear(to)
					f(to, b, layout.width, layout.stride)
					return maphash.Bytes(seed, to)
				},
			}
		}))
	}
	return all
}
