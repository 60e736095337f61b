package decompress

import (
	"encoding/binary"
	"fmt"
	"io"
)

// HeadBytes is the most that Recognise needs of the beginning of some content.
const HeadBytes = 64

// UnsupportedError reports that content is compressed in a format that this package cannot read.
type UnsupportedError struct {
	What string // the format or program
	Then string // what to do instead
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("it is compressed (%s), which is not supported", e.What)
}

// signature describes how content of a format begins. A magic number of two or three bytes also occurs in other
// data, so check tests the fields after it.
type signature struct {
	magic string
	// Need is the number of bytes that check looks at, including the magic. Content that is
	// shorter than that is of the format if it has at least enough bytes.
	need, enough int
	check        func(head []byte) bool // gets need bytes; nil: the magic is sufficient
}

// match reports whether content that begins with head is of the format. Open is true if that depends on bytes that
// follow.
func (s *signature) match(head []byte, ended bool) (is, open bool) {
	known := min(len(head), len(s.magic))
	switch {
	case string(head[:known]) != s.magic[:known]:
		return false, false
	case len(head) < s.need && !ended:
		return false, true
	}
	return len(head) >= s.enough && (len(head) < s.need || s.check == nil || s.check(head)), false
}

// unsupported lists formats that are recognised and not decompressed.
var unsupported = []struct {
	signature
	what, then string // for an UnsupportedError
}{
	// The width of codes and two reserved bits; the first code of nine bits is a literal.
	{signature{"\x1f\x9d", 5, 5, func(h []byte) bool {
		return h[2]&0x60 == 0 && h[2]&31 >= 9 && h[2]&31 <= 16 && h[4]&1 == 0
	}}, "compress", "pass it through gzip -dc"},
	{signature{"\x5d\x00\x00", 14, 14, isLZMA}, "lzma, without the container of xz", "pass it through xz -dc"},
	{signature{"LZIP", 6, 6, func(h []byte) bool { return h[4] <= 1 && h[5]&31 >= 12 && h[5]&31 <= 29 }},
		"lzip", "pass it through lzip -dc"},
	{signature{"\x89LZO\x00\r\n\x1a\n", 9, 9, nil}, "lzop", "pass it through lzop -dc"},
	{signature{"\xff\x06\x00\x00sNaPpY", 10, 10, nil}, "Snappy", "decompress it first"},
	{signature{"LRZI\x00", 5, 5, nil}, "lrzip", "decompress it with lrzip -d"},
	{signature{"7z\xbc\xaf\x27\x1c", 6, 6, nil}, "a 7z archive", "extract its files with 7z x"},
	{signature{"Rar!\x1a\x07", 6, 6, nil}, "a RAR archive", "extract its files with unrar x"},
	{signature{"\x22\xb5\x2f\xfd", 4, 4, nil}, oldZstd, "pass it through zstd -dc"},
	{signature{"\x23\xb5\x2f\xfd", 4, 4, nil}, oldZstd, "pass it through zstd -dc"},
	{signature{"\x24\xb5\x2f\xfd", 4, 4, nil}, oldZstd, "pass it through zstd -dc"},
	{signature{"\x25\xb5\x2f\xfd", 4, 4, nil}, oldZstd, "pass it through zstd -dc"},
	{signature{"\x26\xb5\x2f\xfd", 4, 4, nil}, oldZstd, "pass it through zstd -dc"},
	{signature{"\x27\xb5\x2f\xfd", 4, 4, nil}, oldZstd, "pass it through zstd -dc"},
}

const oldZstd = "zstd in a format from before version 0.8"

// isLZMA reports whether h is a header of the old LZMA format, which has no magic number. The
// dictionary has 2^n or 2^n+2^(n-1) bytes, the content is shorter than 256 GiB or of unknown
// length, and the first byte of the range coder is zero.
func isLZMA(h []byte) bool {
	dict, size := binary.LittleEndian.Uint32(h[1:]), binary.LittleEndian.Uint64(h[5:])
	for dict > 3 && dict&1 == 0 {
		dict >>= 1
	}
	return (dict == 1 || dict == 2 || dict == 3 || dict == 1<<32-1) && (size < 1<<38 || size == 1<<64-1) && h[13] == 0
}

// Recognise returns the format of content that begins with head, Plain if it is not compressed.
// Ended means that head is the whole content. Settled is false if the format depends on bytes that
// follow; that is possible only if head is shorter than HeadBytes and not ended. The error is an
// *UnsupportedError.
func Recognise(head []byte, ended bool) (f Format, settled bool, err error) {
	f, length, settled, err := recognise(head, ended)
	for at := length; f == skippableFrame; at += length {
		behind := at - int64(len(head))
		switch {
		case behind < 0:
			if f, length, settled, err = recognise(head[at:], ended); !settled && len(head) >= HeadBytes {
				return Zstd, true, nil // zstd's tools write such frames, LZ4's do not
			}
		case ended && behind > 0:
			return Plain, true, nil // not a frame: it would be longer than the content
		case ended || len(head) >= HeadBytes:
			return Zstd, true, nil
		default:
			return Plain, false, nil
		}
	}
	return f, settled, err
}

// RecogniseFile is Recognise for a file that begins with head. It also reads what follows skippable
// frames. An error that is not an *UnsupportedError comes from a read.
func RecogniseFile(r io.ReaderAt, head []byte, size int64) (Format, error) {
	off := int64(0)
	for range skippablesMax {
		f, length, _, err := recognise(head, true)
		if off += length; f != skippableFrame || err != nil {
			return f, err
		}
		if off >= size {
			break
		}
		head = make([]byte, min(HeadBytes, size-off))
		if n, err := r.ReadAt(head, off); n < len(head) {
			return Plain, err
		}
	}
	if off > size {
		return Plain, nil
	}
	return Zstd, nil
}

// skippablesMax is how many skippable frames RecogniseFile skips at most.
const skippablesMax = 100

// skippableFrame is the result of recognise for a frame that both zstd and LZ4 skip.
const skippableFrame = Format(255)

// recognise is Recognise for one frame. Length is the length of a skippable frame.
func recognise(head []byte, ended bool) (f Format, length int64, settled bool, err error) {
	settled = true
	for f, w := range rows {
		for i := range w.signatures {
			is, open := w.signatures[i].match(head, ended)
			if settled = settled && !open; is {
				return Format(f), 0, true, nil
			}
		}
	}
	for i := range unsupported {
		u := &unsupported[i]
		is, open := u.match(head, ended)
		if settled = settled && !open; is {
			return Plain, 0, true, &UnsupportedError{u.what, u.then}
		}
	}
	if maySkip(head) {
		if len(head) >= skippableHeader {
			return skippableFrame, skippableHeader + int64(binary.LittleEndian.Uint32(head[4:])), true, nil
		}
		settled = ended
	}
	return Plain, 0, settled, nil
}

const skippableHeader = 8

// maySkip reports whether head, which may be short, may be the beginning of a skippable frame.
func maySkip(head []byte) bool {
	const magic = "\x50\x2a\x4d\x18"
	known := min(len(head), len(magic))
	return known == 0 || head[0]&^15 == magic[0] && string(head[1:known]) == magic[1:known]
}
