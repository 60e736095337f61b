package group

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestShapes writes words of all kinds and reads them back: with the shape that fits best, with the last one if it
// fits, and when there are more shapes than codes.
func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range rounds.Of(60) {
		init := make([]uint64, r.IntN(shapedWords+1))
		for i := range init {
			init[i] = []uint64{0, 1, 1<<63 - 1, 1 << 63}[r.IntN(4)]
		}
		s, few := newShapes(init), r.IntN(2) == 0
		used, unshaped, again := map[uint8]bool{}, 0, 0
		for n := range 2000 {
			words := make([]uint64, len(init))
			for i := range words {
				switch kind := r.IntN(12); {
				case few && kind > 6:
				case kind == 10:
					words[i] = init[i]
				case kind == 11 && i > 0:
					words[i] = words[r.IntN(i)]
				default:
					words[i] = r.Uint64() >> (64 - r.IntN(65))
				}
			}
			key := slices.Grow([]byte("a key of more bytes than a short one has")[:r.IntN(41)], shortKeyBytes)
			b := make([]byte, s.most+len(key))
			size, kept := 0, s.lastCode
			if len(key) <= shortKeyBytes && n%3 > 0 {
				size = s.putShort(unsafe.Pointer(&b[0]), unsafe.Pointer(unsafe.SliceData(key)), len(key), words)
			}
			if size > 0 {
				again++
			} else if code := s.code(s.kindsOf(words)); code == noShape {
				unshaped++
				continue
			} else {
				size, kept = s.put(b, code, key, words), code
			}
			used[kept] = true
			if whole, ok := s.recordSize(b); !ok || whole != size || b[0] != kept || int(b[1]) != len(key) {
				t.Fatalf("a record of %d bytes: %d, %t; code %d, a key of %d", size, whole, ok, b[0], b[1])
			}
			for i := range wordSlack { // of the next record
				b[size+i] = 0xff
			}
			got := make([]uint64, len(words))
			s.all[b[0]].take(b[2+len(key):], got)
			if !slices.Equal(got, words) || string(b[2:2+len(key)]) != string(key) {
				t.Fatalf("%x %q became %x %q, code %d", words, key, got, b[2:2+len(key)], b[0])
			}
		}
		if len(init) > 8 && !few && (unshaped == 0 || len(used) < noShape*9/10) {
			t.Errorf("%d words: %d shapes, %d records without one", len(init), len(used), unshaped)
		}
		if len(init) < 3 && again == 0 {
			t.Errorf("%d words: no record has the shape of the one before", len(init))
		}
	}
}
