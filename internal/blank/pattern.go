package blank

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/nonzero"
)

// Pattern is what every byte of a blank input is: a byte, or a string of bytes that repeats from the
// start of the input.
type Pattern struct{ unit []byte }

// patternBytesMax is the longest pattern: a sector of the larger kind.
const patternBytesMax = 4096

// Zero is the pattern of an input that was overwritten with zeros.
var Zero = Pattern{[]byte{0}}

// ParsePattern returns the pattern that hexadecimal digits give, with or without spaces: "FF", "DE AD BE EF".
func ParsePattern(text string) (Pattern, error) {
	var unit []byte
	for _, digits := range strings.Fields(text) {
		b, err := hex.DecodeString(digits)
		if err != nil {
			return Pattern{}, fmt.Errorf("%q is not bytes in hexadecimal digits, two for each: write FF or 'DE AD BE EF'", text)
		}
		unit = append(unit, b...)
	}
	switch {
	case len(unit) == 0:
		return Pattern{}, errors.New("it is empty: write bytes as hexadecimal digits, like FF or 'DE AD BE EF'")
	case len(unit) > patternBytesMax:
		return Pattern{}, fmt.Errorf("%d bytes are too many: a pattern has at most %d", len(unit), patternBytesMax)
	}
	return Pattern{shortest(unit)}, nil
}

// shortest returns the shortest string that repeated gives unit: 00 for 00 00.
func shortest(unit []byte) []byte {
	for n := 1; n <= len(unit)/2; n++ {
		if len(unit)%n == 0 && bytes.Equal(unit[n:], unit[:len(unit)-n]) {
			return unit[:n]
		}
	}
	return unit
}

// String returns the pattern as hexadecimal digits: "00", "DE AD BE EF".
func (p Pattern) String() string { return strings.ToUpper(fmt.Sprintf("% x", p.unit)) }

// IsZero reports whether the pattern is zeros.
func (p Pattern) IsZero() bool { return len(p.unit) == 1 && p.unit[0] == 0 }

// copiesBytes is how much of a repeated pattern is kept for comparison: it fits into the first-level
// cache beside what it is compared with.
const copiesBytes = 8 << 10

// matcher compares bytes with a pattern. It is safe for concurrent use.
type matcher struct {
	zero   nonzero.Kernel
	isZero bool
	period int64
	copies []byte // the pattern repeated, copiesBytes from every phase on
}

func newMatcher(p Pattern) *matcher {
	n := len(p.unit)
	return &matcher{zero: nonzero.Best(), isZero: p.IsZero(), period: int64(n),
		copies: bytes.Repeat(p.unit, copiesBytes/n+2)}
}

// kernel returns the name of the inner loop, for receipts.
func (m *matcher) kernel() string {
	if m.isZero {
		return fmt.Sprintf("nonzero %v", m.zero.ISA)
	}
	return "equal runtime"
}

// differs returns the index of the first byte of b, which lies at off, that is not as the pattern
// says, and -1 if all are.
func (m *matcher) differs(b []byte, off int64) int {
	if m.isZero {
		return m.zero.Index(b)
	}
	for at := 0; at < len(b); {
		phase := int((off + int64(at)) % m.period)
		n := min(len(b)-at, copiesBytes)
		if is, want := b[at:at+n], m.copies[phase:phase+n]; !bytes.Equal(is, want) {
			for i := range is {
				if is[i] != want[i] {
					return at + i
				}
			}
		}
		at += n
	}
	return -1
}
