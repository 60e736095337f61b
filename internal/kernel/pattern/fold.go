package pattern

import (
	"bytes"
	"errors"
	"fmt"
)

// FoldBytesMax is the longest text for Fold. The vector variants compare that many bytes at once, so the
// time stays linear however many candidates fail.
const FoldBytesMax = probeBytes

// caseBit is the bit in which a letter of ASCII differs from itself in the other case.
const caseBit = 'a' ^ 'A'

// Fold returns the pattern of an ASCII text whose letters match in either case. Of the letters, k and s also have
// a form outside ASCII, which the pattern does not match: the Kelvin sign and the long s.
func Fold(s []byte) (*Pattern, error) {
	switch {
	case len(s) == 0:
		return nil, errors.New("an empty text matches everywhere; give at least one byte")
	case len(s) > FoldBytesMax:
		return nil, fmt.Errorf("a text of %d bytes is too long to ignore its case; %d are the most", len(s), FoldBytesMax)
	}
	value, mask := bytes.Clone(s), bytes.Repeat([]byte{0xff}, len(s))
	for i, c := range s {
		switch lower := c | caseBit; {
		case c >= 0x80:
			return nil, fmt.Errorf("byte %d of the text is not ASCII", i)
		case 'a' <= lower && lower <= 'z':
			value[i], mask[i] = c&^caseBit, 0xff&^caseBit
		}
	}
	return newPattern(value, mask), nil
}
