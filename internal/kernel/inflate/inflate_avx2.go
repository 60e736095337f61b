//go:build amd64

package inflate

// loopAVX2 is loopPlain with the shifts and bit fields of BMI2, which need no fixed register and no
// mask, and with vectors for matches. It is written by hand, because the compiler has neither BZHI nor
// enough registers for the loop. See inflate_avx2_amd64.s.
//
//go:noescape
func loopAVX2(s *span)
