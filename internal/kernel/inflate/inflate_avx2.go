//go:build amd64

package inflate

// loopAVX2 is loopPlain with the shifts and bit fields of BMI2, which need no fixed register and no
// mask, and with vectors for matches. It is written by hand, because the compiler has neither BZHI nor
// enough registers for the loop. See loop_avx2_amd64.h.
//
//go:noescape
func loopAVX2(s *span)

// symbolLoopAVX2 is loopAVX2 for output of symbols.
//
//go:noescape
func symbolLoopAVX2(s *span)
