package fields

// sequenceAVX2 is a Chunk.sequence by an instruction of BMI2, which processors with AVX2 have and the
// compiler does not use: it moves the bits of a word that a mask selects together.
//
//go:noescape
func sequenceAVX2(order, feeds, delims *uint64, words int)
