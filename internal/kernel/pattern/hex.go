package pattern

import (
	"errors"
	"fmt"
)

// ParseHex returns the pattern written in hexadecimal digits of either case, with optional spaces
// between bytes. A question mark matches any digit: "7F 45 ?? B?". Errors name the column, from 1,
// and what was expected there.
func ParseHex(s string) (*Pattern, error) {
	var value, mask []byte
	for i := 0; i < len(s); {
		if s[i] == ' ' || s[i] == '\t' {
			i++
			continue
		}
		if i+1 < len(s) && s[i] == '0' && (s[i+1] == 'x' || s[i+1] == 'X') {
			return nil, fmt.Errorf("column %d: write bytes without 0x: 7F 45", i+1)
		}
		high, highMask, err := digit(s, i)
		if err != nil {
			return nil, err
		}
		if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t' {
			return nil, fmt.Errorf("column %d: a byte has two digits, this one has only %q", i+1, s[i])
		}
		low, lowMask, err := digit(s, i+1)
		if err != nil {
			return nil, err
		}
		value = append(value, high<<4|low)
		mask = append(mask, highMask<<4|lowMask)
		i += 2
	}
	if len(value) == 0 {
		return nil, errors.New("column 1: no bytes; write two digits for each: 7F 45")
	}
	p := newPattern(value, mask)
	if len(p.order) == 0 {
		return nil, errors.New("column 1: wildcards alone match everywhere; write at least one digit")
	}
	return p, nil
}

// Bytes returns the bytes of the pattern, and a mask of the bits that count. The caller must not
// modify them.
func (p *Pattern) Bytes() (value, mask []byte) { return p.value, p.mask }

// digit returns the value of the digit at s[i] and the mask 0xf, or 0 and 0 for a wildcard.
func digit(s string, i int) (value, mask byte, err error) {
	switch c := s[i]; {
	case c == '?':
		return 0, 0, nil
	case c >= '0' && c <= '9':
		return c - '0', 0xf, nil
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, 0xf, nil
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, 0xf, nil
	}
	return 0, 0, fmt.Errorf("column %d: %q is neither a hexadecimal digit nor ?", i+1, s[i])
}
