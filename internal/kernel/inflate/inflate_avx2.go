//go:build amd64

package inflate

// loopAVX2 is loopPlain with the shifts and bit fields of BMI2, which do not go through a flag or a
// fixed register, and vectors for matches. It is written by hand: the compiler spills a third of the
// loop's values. See inflate_avx2_amd64.s.
//
//go:noescape
func loopAVX2(s *span)

// patterns has for each distance below 16 the indexes that repeat its bytes over a vector.
var patterns = makePatterns()

// strides has for each such distance how far the next vector lies: at a multiple of the distance.
var strides = makeStrides()

func makePatterns() (all [16][16]uint8) {
	for distance := 1; distance < 16; distance++ {
		for i := range 16 {
			all[distance][i] = uint8(i % distance)
		}
	}
	return all
}

func makeStrides() (all [16]uint8) {
	for distance := 1; distance < 16; distance++ {
		all[distance] = uint8(16 - 16%distance)
	}
	return all
}
