package decompress

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
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

// signature describes how content of a format begins.
type signature struct {
	format Format
	magic  string
	// Need is the number of bytes that check looks at, including the magic. Content that is
	// shorter than that is of the format if it has at least enough bytes.
	need, enough int
	check        func(head []byte) bool // gets need bytes; nil: the magic is sufficient
	what, then   string                 // for an UnsupportedError
}

// signatures lists the formats that are recognised. A magic number of two or three bytes also
// occurs in other data, so check tests the fields behind it.
var signatures = []signature{
	// The flags have three reserved bits (RFC 1952).
	{format: Gzip, magic: "\x1f\x8b\x08", need: 4, enough: 3,
		check: func(h []byte) bool { return h[3]&flagsReserved == 0 }},
	// The descriptor has a reserved bit (RFC 8878).
	{format: Zstd, magic: "\x28\xb5\x2f\xfd", need: 5, enough: 4,
		check: func(h []byte) bool { return h[4]&8 == 0 }},
	{format: Xz, magic: "\xfd7zXZ\x00", need: 6, enough: 6},
	// The version is 1, and a bit is reserved.
	{format: LZ4, magic: "\x04\x22\x4d\x18", need: 5, enough: 4,
		check: func(h []byte) bool { return h[4]&0xc2 == 0x40 }},
	{format: LZ4, magic: "\x02\x21\x4c\x18", need: 8, enough: 8,
		check: func(h []byte) bool { return binary.LittleEndian.Uint32(h[4:]) <= legacyBlockMax }},
	// The level, and the magic number of a block or of the end of a file without blocks.
	{format: Bzip2, magic: "BZh", need: 10, enough: 4, check: func(h []byte) bool {
		return h[3] >= '1' && h[3] <= '9' && (string(h[4:10]) == "1AY&SY" || string(h[4:10]) == "\x17rE8P\x90")
	}},
	{format: Zip, magic: "PK\x03\x04", need: 4, enough: 4},
	{format: Zip, magic: "PK\x05\x06", need: 4, enough: 4},
	{format: Zip, magic: "PK\x07\x08PK\x03\x04", need: 8, enough: 8},

	// The width of codes and two reserved bits; the first code of nine bits is a literal.
	{magic: "\x1f\x9d", need: 5, enough: 5, what: "compress", then: "pass it through gzip -dc",
		check: func(h []byte) bool { return h[2]&0x60 == 0 && h[2]&31 >= 9 && h[2]&31 <= 16 && h[4]&1 == 0 }},
	{magic: "\x5d\x00\x00", need: 14, enough: 14, what: "lzma, without the container of xz",
		then: "pass it through xz -dc", check: isLZMA},
	{magic: "LZIP", need: 6, enough: 6, what: "lzip", then: "pass it through lzip -dc",
		check: func(h []byte) bool { return h[4] <= 1 && h[5]&31 >= 12 && h[5]&31 <= 29 }},
	{magic: "\x89LZO\x00\r\n\x1a\n", need: 9, enough: 9, what: "lzop", then: "pass it through lzop -dc"},
	{magic: "\xff\x06\x00\x00sNaPpY", need: 10, enough: 10, what: "Snappy", then: "decompress it first"},
	{magic: "LRZI\x00", need: 5, enough: 5, what: "lrzip", then: "decompress it with lrzip -d"},
	{magic: "7z\xbc\xaf\x27\x1c", need: 6, enough: 6, what: "a 7z archive", then: "extract its files with 7z x"},
	{magic: "Rar!\x1a\x07", need: 6, enough: 6, what: "a RAR archive", then: "extract its files with unrar x"},
	oldZstd("\x22"), oldZstd("\x23"), oldZstd("\x24"), oldZstd("\x25"), oldZstd("\x26"), oldZstd("\x27"),
}

// oldZstd is the signature of a format of zstd before version 0.8.
func oldZstd(version string) signature {
	return signature{magic: version + "\xb5\x2f\xfd", need: 4, enough: 4,
		what: "zstd in a format from before version 0.8", then: "pass it through zstd -dc"}
}

// legacyBlockMax is the largest compressed size of a block of the old LZ4 format, which has 8 MiB.
const legacyBlockMax = 8<<20 + 8<<20/255 + 16

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
	for i := range signatures {
		s := &signatures[i]
		known := min(len(head), len(s.magic))
		switch {
		case string(head[:known]) != s.magic[:known]:
			continue
		case len(head) < s.need && !ended:
			settled = false
			continue
		case len(head) < s.enough || len(head) >= s.need && s.check != nil && !s.check(head):
			continue
		case s.what != "":
			return Plain, 0, true, &UnsupportedError{s.what, s.then}
		}
		return s.format, 0, true, nil
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

var suffixes = []struct {
	suffix string
	format Format
}{
	{".gz", Gzip}, {".bgz", Gzip}, {".zst", Zstd}, {".bz2", Bzip2}, {".xz", Xz}, {".lz4", LZ4}, {".zip", Zip},
}

// ByName returns the format that belongs to the suffix of a file name, in lower or upper case.
func ByName(name string) (Format, bool) {
	for _, s := range suffixes {
		if cut := len(name) - len(s.suffix); cut >= 0 && strings.EqualFold(name[cut:], s.suffix) {
			return s.format, true
		}
	}
	return Plain, false
}
