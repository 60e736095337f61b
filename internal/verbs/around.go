package verbs

import (
	"bytes"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/answer"
)

// lineBytesMax is how many bytes of a line are printed on either side of a hit.
const lineBytesMax = 4 << 10

// lineAround returns the line of text that a hit begins in, without its line feed, cut to
// lineBytesMax on either side, and where in it the hit begins. It reads a stream no further than the
// end of the line.
func lineAround(in hitSource, h answer.Hit) (text []byte, at int, err error) {
	most := int64(lineBytesMax)
	from := max(h.Off-most, 0)
	if text, err = readAround(in, from, h.Off); err != nil {
		return nil, 0, err
	}
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	at = len(text)
	step := make([]byte, most)
	for rest := step; len(rest) > 0; {
		n, err := in.ReadSome(rest, h.Off+int64(len(step)-len(rest)))
		feed := bytes.IndexByte(rest[:n], '\n')
		if feed >= 0 {
			n = feed
		}
		text, rest = append(text, rest[:n]...), rest[n:]
		switch {
		case feed >= 0 || err == io.EOF:
			return text, at, nil
		case err != nil:
			return nil, 0, fmt.Errorf("read the line of a match: %w", err)
		}
	}
	return text, at, nil
}

// readAround reads a range of the input, up to the end of the input.
func readAround(in hitSource, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	n, err := in.ReadAt(b, from)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the bytes around a match: %w", err)
	}
	return b[:n], nil
}

const (
	rowBytes  = 16
	hitColor  = "\x1b[1;31m"
	plainText = "\x1b[0m"
)

// appendHexdump appends a hexdump around a hit, in rows of 16 bytes that start at multiples of
// 16. The bytes of the hit are coloured, or in brackets if there is no colour.
func appendHexdump(b []byte, in hitSource, h answer.Hit, around int64, color bool) ([]byte, error) {
	from := max(h.Off-around, 0) / rowBytes * rowBytes
	to := h.Off + h.Len + around
	data, err := readAround(in, from, (to+rowBytes-1)/rowBytes*rowBytes)
	if err != nil {
		return nil, err
	}
	for off := int64(0); off < int64(len(data)); off += rowBytes {
		row := data[off:min(off+rowBytes, int64(len(data)))]
		b = appendRow(b, row, from+off, h, color)
	}
	return b, nil
}

// appendRow appends one row of a hexdump.
func appendRow(b, row []byte, off int64, h answer.Hit, color bool) []byte {
	b = fmt.Appendf(b, "  %08x ", off)
	inside := func(i int) bool { return off+int64(i) >= h.Off && off+int64(i) < h.Off+h.Len }
	for i := range rowBytes {
		left, right := " ", ""
		switch {
		case i >= len(row):
			b = append(b, "   "...)
			continue
		case inside(i) && color:
			left, right = " "+hitColor, plainText
		case inside(i) && (i == 0 || !inside(i-1)):
			left = "["
		case !inside(i) && i > 0 && inside(i-1) && !color:
			left = "]"
		}
		b = fmt.Appendf(b, "%s%02x%s", left, row[i], right)
	}
	closing := byte(' ')
	if last := len(row) - 1; inside(last) && !color {
		closing = ']'
	}
	b = append(b, closing, ' ', '|')
	for i, c := range row {
		if c < ' ' || c > '~' {
			c = '.'
		}
		if inside(i) && color {
			b = append(b, hitColor...)
			b = append(b, c)
			b = append(b, plainText...)
			continue
		}
		b = append(b, c)
	}
	return append(b, '|', '\n')
}
