package key

import (
	"fmt"
	"strconv"
	"strings"
)

// single returns the only byte of the set, if it has one.
func (s *set) single() (b byte, ok bool) {
	if list := s.list(); len(list) == 1 {
		return list[0], true
	}
	return 0, false
}

// list returns the bytes of the set, ascending.
func (s *set) list() (list []byte) {
	for b := range 256 {
		if s.has(byte(b)) {
			list = append(list, byte(b))
		}
	}
	return list
}

func (s *set) not() set { return set{^s[0], ^s[1], ^s[2], ^s[3]} }

// String lists the bytes of the set, or the missing ones if they are fewer.
func (s *set) String() string {
	missing := s.not()
	in, out := s.list(), missing.list()
	switch {
	case len(out) == 0:
		return "anything"
	case len(out) < len(in):
		return "until " + ranges(out)
	}
	return ranges(in)
}

// ranges writes consecutive bytes as 'a' to 'z', and others one by one.
func ranges(list []byte) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		switch first, last := quote(list[i]), quote(list[j]); {
		case j == i:
			parts = append(parts, first)
		case j == i+1:
			parts = append(parts, first, last)
		default:
			parts = append(parts, first+" to "+last)
		}
		i = j + 1
	}
	return strings.Join(parts, " or ")
}

func quote(b byte) string {
	if b < 0x80 {
		return strconv.QuoteRune(rune(b))
	}
	return fmt.Sprintf("0x%02x", b)
}
