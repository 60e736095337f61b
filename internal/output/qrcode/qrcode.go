// Package qrcode prints text as a QR code (ISO/IEC 18004) on a terminal.
package qrcode

import (
	"errors"
	"io"
	"strings"

	"rsc.io/qr/coding"
)

const (
	quietModules = 4 // the light border that readers need
	masks        = 8
)

// Code is a square of dark and light modules.
type Code struct {
	size int
	dark func(x, y int) bool // also outside, where all is light
}

// New returns the smallest code for the text, with the least error correction: a screen has no dirt.
// Of the eight masks it takes the one with the least penalty.
func New(text string) (*Code, error) {
	data := coding.String(text)
	version := coding.Version(coding.MinVersion)
	for data.Bits(version) > version.DataBytes(coding.L)*8 {
		if version++; version > coding.MaxVersion {
			return nil, errors.New("encode a QR code: the text is too long")
		}
	}
	var best *Code
	least := 0
	for mask := range coding.Mask(masks) {
		c, err := encode(data, version, mask)
		if err != nil {
			return nil, err
		}
		if p := c.penalty(); best == nil || p < least {
			best, least = c, p
		}
	}
	return best, nil
}

func encode(data coding.Encoding, version coding.Version, mask coding.Mask) (*Code, error) {
	plan, err := coding.NewPlan(version, coding.L, mask)
	if err != nil {
		return nil, err
	}
	encoded, err := plan.Encode(data)
	if err != nil {
		return nil, err
	}
	return &Code{encoded.Size, encoded.Black}, nil
}

// Columns returns the width of what Write prints.
func (c *Code) Columns() int { return c.size + 2*quietModules }

// Write prints the code, two rows of modules in a line. It sets black and white itself, by the fixed
// part of the palette of 256 colors, so that it looks the same on dark and on light terminals.
func (c *Code) Write(w io.Writer) error {
	const blackOnWhite, reset = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
	var b strings.Builder
	for y := -quietModules; y < c.size+quietModules; y += 2 {
		b.WriteString(blackOnWhite)
		for x := -quietModules; x < c.size+quietModules; x++ {
			switch upper, lower := c.dark(x, y), c.dark(x, y+1); {
			case upper && lower:
				b.WriteString("█")
			case upper:
				b.WriteString("▀")
			case lower:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString(reset + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// penalty rates what makes a code hard to read (ISO/IEC 18004, section 7.8.3): runs of five or more
// modules of a color, blocks of two by two, patterns like those of the corners, and a share of dark
// modules far from a half.
func (c *Code) penalty() (p int) {
	dark := 0
	for y := range c.size {
		for x := range c.size {
			if c.dark(x, y) {
				dark++
			}
			if x > 0 && y > 0 && c.dark(x, y) == c.dark(x-1, y) && c.dark(x, y) == c.dark(x, y-1) &&
				c.dark(x, y) == c.dark(x-1, y-1) {
				p += 3
			}
		}
		p += linePenalty(c.size, func(i int) bool { return c.dark(i, y) })
		p += linePenalty(c.size, func(i int) bool { return c.dark(y, i) })
	}
	off := dark*20 - c.size*c.size*10 // from a half, in twentieths of all modules
	return p + max(off, -off)/(c.size*c.size)*10
}

// linePenalty rates a row or a column. The border counts as light.
func linePenalty(size int, dark func(int) bool) (p int) {
	const (
		finder     = 0b1011101
		finderBits = 7
		lightBits  = 4 // before or after it
		lightMask  = 1<<lightBits - 1
	)
	run, last := 0, 0
	for i := range size + lightBits {
		last <<= 1
		if dark(i) {
			last |= 1
		}
		middle := last >> lightBits & (1<<finderBits - 1)
		if middle == finder && (last&lightMask == 0 || last>>(lightBits+finderBits)&lightMask == 0) {
			p += 40
		}
		switch {
		case i >= size:
			continue
		case i > 0 && dark(i) == dark(i-1):
			run++
		default:
			run = 1
		}
		switch {
		case run == 5:
			p += 3
		case run > 5:
			p++
		}
	}
	return p
}
