package npy

import (
	"errors"
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// parser reads the dictionary of a header.
type parser struct {
	text []byte
	at   int
	from int64 // offset of text in the file
}

// fail returns an error at the parser's place.
func (p *parser) fail(format string, args ...any) error {
	return fail(p.from+int64(p.at), fmt.Errorf(format, args...))
}

// peek returns the next byte that is not white space, 0 at the end.
func (p *parser) peek() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take skips a byte that must come next.
func (p *parser) take(c byte) error {
	if p.peek() != c {
		return p.fail("%q is missing", string(rune(c)))
	}
	p.at++
	return nil
}

// header reads {'key': value, ...}: each of the three keys once.
func (p *parser) header() (*header, error) {
	h := new(header)
	seen := map[string]bool{}
	if err := p.take('{'); err != nil {
		return nil, err
	}
	for p.peek() != '}' {
		at := p.at
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			p.at = at
			return nil, p.fail("key %q comes twice", key)
		}
		seen[key] = true
		if err := p.take(':'); err != nil {
			return nil, err
		}
		if err := p.value(h, key); err != nil {
			return nil, err
		}
		if p.peek() == ',' {
			p.at++
		} else if p.peek() != '}' {
			return nil, p.fail("a comma or } is missing")
		}
	}
	p.at++
	if p.peek() != 0 {
		return nil, p.fail("something follows the header")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return nil, p.fail("there is no %q", key)
		}
	}
	return h, nil
}

// value reads the value of a key.
func (p *parser) value(h *header, key string) (err error) {
	next := p.peek()
	at := p.from + int64(p.at)
	switch key {
	case "descr":
		h.descrAt = at
		if next == '[' || next == '(' {
			return p.fail("a structured type: its records are no values of one type; " +
				"thresh.Raw with Values.Type, Scan.Offset and Values.Stride looks at one field")
		}
		h.descr, err = p.quoted()
		return err
	case "fortran_order":
		for word, value := range map[string]bool{"True": true, "False": false} {
			if len(p.text)-p.at >= len(word) && string(p.text[p.at:p.at+len(word)]) == word {
				p.at += len(word)
				h.fortran = value
				return nil
			}
		}
		return p.fail("fortran_order is neither True nor False")
	case "shape":
		h.shapeAt = at
		h.shape, err = p.shape()
		return err
	}
	return p.fail("key %q is not known", key)
}

// quoted reads a text in quotes of either kind. No text in a header has escapes.
func (p *parser) quoted() (string, error) {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		return "", p.fail("a text in quotes is missing")
	}
	p.at++
	begin := p.at
	for ; p.at < len(p.text) && p.text[p.at] != quote; p.at++ {
		if p.text[p.at] == '\\' || p.text[p.at] < ' ' {
			return "", p.fail("a text with an escape or a control character")
		}
	}
	if p.at == len(p.text) {
		return "", p.fail("a text has no end")
	}
	p.at++
	return string(p.text[begin : p.at-1]), nil
}

// shape reads (), (3,) or (3, 4).
func (p *parser) shape() (shape []int64, err error) {
	if err := p.take('('); err != nil {
		return nil, err
	}
	for p.peek() != ')' {
		n, err := p.number()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); len(shape) > tensor.DimensionsMost {
			return nil, p.fail("more than %d dimensions", tensor.DimensionsMost)
		}
		if p.peek() == ',' {
			p.at++
		} else if p.peek() != ')' || len(shape) == 1 {
			return nil, p.fail("a comma is missing in the shape")
		}
	}
	p.at++
	return shape, nil
}

var errNumber = errors.New("a size in the shape is no whole number that a file can have")

// number reads a size; Python 2 wrote an L behind it.
func (p *parser) number() (n int64, err error) {
	p.peek()
	begin := p.at
	for ; p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; p.at++ {
		digit := int64(p.text[p.at] - '0')
		if n > (math.MaxInt64-digit)/10 {
			return 0, p.fail("%w", errNumber)
		}
		n = 10*n + digit
	}
	if p.at == begin {
		return 0, p.fail("%w", errNumber)
	}
	if p.at < len(p.text) && p.text[p.at] == 'L' {
		p.at++
	}
	return n, nil
}
