package histogram

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// scale finds the bins of integers. A value's rank is its distance from the lowest value of its
// type. So ranks are unsigned whatever the type, and have the order of the values.
//
// base is the rank of an edge: the last one at or below the lowest counted value. The place of a
// rank is the quotient (rank-base)/width. If the bin of the lowest value would begin below the
// range of the type, that edge has no rank. Then base is the first edge in the range; the bin below
// it is cut, and its ranks are below base. It has place 0, and cut, which is 0 or 1, is added to
// the quotients.
type scale struct {
	base, width uint64 // width 0: all counted values are in the bin at place 0
	cut         uint64
	low, high   uint64 // ranks of the lowest and the highest value that are counted
	most        uint64 // the highest rank of the type
	bias        uint64 // rank = bits ^ bias

	origin, step *big.Int // the bin at place p begins at origin + p*step
	least        *big.Int // the value of rank 0
}

func newScale(s Spec) (scale, error) {
	bits := uint(8 * s.Type.Width())
	c := scale{most: math.MaxUint64 >> (64 - bits), least: new(big.Int)}
	if s.Type.Signed() {
		c.bias = 1 << (bits - 1)
		c.least.Neg(new(big.Int).SetUint64(c.bias))
	}
	c.high = c.most
	var err error
	if c.low, err = c.limit(s.Type, s.Low, c.low); err != nil {
		return c, err
	}
	if c.high, err = c.limit(s.Type, s.High, c.high); err != nil {
		return c, err
	}
	if c.low > c.high {
		return c, fmt.Errorf("no value is between %s and %s: the lower one comes first", s.Low, s.High)
	}
	anchor := new(big.Int)
	if s.Bins != 0 {
		anchor = c.value(c.low)
		// The number of values divided by the number of bins, rounded up.
		c.step = new(big.Int).SetUint64((c.high - c.low) / uint64(s.Bins))
		c.step.Add(c.step, big.NewInt(1))
	} else if c.step, err = parseInteger(s.Width); err != nil {
		return c, err
	}
	if c.step.Sign() <= 0 {
		return c, errors.New("the width " + s.Width + " is not above 0")
	}
	if s.Anchor != "" {
		if anchor, err = parseInteger(s.Anchor); err != nil {
			return c, err
		}
	}
	c.lay(anchor)
	return c, nil
}

// lay computes where the bin at place 0 begins.
func (c *scale) lay(anchor *big.Int) {
	low := c.value(c.low)
	// The last edge at or below the lowest value: big.Int's Mod is never negative.
	c.origin = new(big.Int).Sub(low, anchor)
	c.origin.Sub(low, c.origin.Mod(c.origin, c.step))
	next := new(big.Int).Add(c.origin, c.step)
	switch {
	case next.Cmp(c.value(c.high)) > 0: // one bin holds everything
		c.base, c.width = c.low, 0
	case c.origin.Cmp(c.least) < 0:
		c.base, c.width, c.cut = c.rank(next), c.step.Uint64(), 1
	default:
		c.base, c.width = c.rank(c.origin), c.step.Uint64()
	}
}

// limit returns the rank of a limit, or the default if there is none.
func (c *scale) limit(t compare.Type, text string, without uint64) (uint64, error) {
	if text == "" {
		return without, nil
	}
	value, err := parseInteger(text)
	if err != nil {
		return 0, err
	}
	if highest := c.value(c.most); value.Cmp(c.least) < 0 || value.Cmp(highest) > 0 {
		return 0, fmt.Errorf("value %s does not fit %v (%v to %v)", text, t, c.least, highest)
	}
	return c.rank(value), nil
}

// value returns the value of a rank, and rank the rank of a value.
func (c *scale) value(rank uint64) *big.Int {
	value := new(big.Int).SetUint64(rank)
	return value.Add(value, c.least)
}

func (c *scale) rank(value *big.Int) uint64 {
	return new(big.Int).Sub(value, c.least).Uint64()
}

// quotient returns the place, without cut, of a rank at this distance above base.
func (c *scale) quotient(distance uint64) uint64 {
	if c.width == 0 {
		return 0
	}
	return distance / c.width
}

// place returns the place of a rank between the limits.
func (c *scale) place(rank uint64) uint64 {
	if rank < c.base {
		return 0
	}
	return c.quotient(rank-c.base) + c.cut
}

// parseInteger parses an integer. A leading zero has no meaning: 010 is ten.
func parseInteger(text string) (*big.Int, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	base := 10
	if prefix := strings.ToLower(digits[:min(2, len(digits))]); prefix == "0x" {
		digits, base = digits[2:], 16
	} else if prefix == "0b" {
		digits, base = digits[2:], 2
	}
	const digitsMost = 64 // the lowest 64-bit number, written in binary
	value, ok := new(big.Int).SetString(digits, base)
	if !ok || len(digits) > digitsMost || strings.ContainsAny(digits, "+-") {
		return nil, fmt.Errorf("value %q is not a whole number (decimal, 0x hex or 0b binary)", text)
	}
	if negative {
		value.Neg(value)
	}
	return value, nil
}
