package archive

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"
	"unicode/utf8"
)

// Zip is the format of zip archives.
var Zip Format = zipFormat{}

type zipFormat struct{}

// The numbers are those of PKWARE's APPNOTE.
const (
	zipLocal   = 0x04034b50
	zipCentral = 0x02014b50
	zip64End   = 0x06064b50
	zip64Where = 0x07064b50
	zipEnd     = 0x06054b50

	zipPlain = 20 // version needed: folders
	zipBig   = 45 // version needed: ZIP64
	zipUnix  = 3 << 8

	zipUTF8 = 1 << 11 // flag: the name is UTF-8

	zip32Max = math.MaxUint32 // a size or offset from here on is in the ZIP64 field
	zip16Max = math.MaxUint16

	zip64EndBytes = 56
)

var errLongName = errors.New("its name is longer than a zip archive allows")

func (zipFormat) header(f *File, sum uint32) ([]byte, error) {
	if len(f.Name) > zip16Max {
		return nil, errLongName
	}
	var extra []byte
	if f.Size >= zip32Max {
		extra = append16(extra, 1, 16)
		extra = append64(extra, f.Size, f.Size)
	}
	extra = f.appendTime(extra)
	size := uint32(min(f.Size, zip32Max))
	b := append32(make([]byte, 0, 128), zipLocal)
	b = append16(b, f.version(false))
	b = f.appendCommon(b, sum, size)
	b = append16(b, len(f.Name), len(extra))
	return append(append(b, f.Name...), extra...), nil
}

// appendCommon appends what local and central headers share.
func (f *File) appendCommon(b []byte, sum, size uint32) []byte {
	flags := 0
	if utf8.ValidString(f.Name) {
		flags = zipUTF8
	}
	date, clock := dosTime(f.Modified)
	return append32(append16(b, flags, 0, clock, date), sum, size, size)
}

// version returns the version of the format that the entry needs.
func (f *File) version(far bool) int {
	if far || f.Size >= zip32Max {
		return zipBig
	}
	return zipPlain
}

// appendTime appends the field of the time in UTC, if it fits.
func (f *File) appendTime(b []byte) []byte {
	if t := f.Modified.Unix(); t >= 0 && t <= math.MaxInt32 {
		b = append16(b, 0x5455, 5)
		b = append32(append(b, 1), uint32(t))
	}
	return b
}

// appendCentral appends the entry of the central directory for a file whose header begins at off.
func (f *File) appendCentral(b []byte, sum uint32, off int64) []byte {
	var big []int64
	if f.Size >= zip32Max {
		big = append(big, f.Size, f.Size)
	}
	if off >= zip32Max {
		big = append(big, off)
	}
	var extra []byte
	if len(big) > 0 {
		extra = append64(append16(extra, 1, 8*len(big)), big...)
	}
	extra = f.appendTime(extra)
	kind, dos := 0o100000, 0
	if f.folder() {
		kind, dos = 0o040000, 0x10
	}
	b = append32(b, zipCentral)
	b = append16(b, zipUnix|zipBig, f.version(off >= zip32Max))
	b = f.appendCommon(b, sum, uint32(min(f.Size, zip32Max)))
	b = append16(b, len(f.Name), len(extra), 0, 0, 0)
	b = append32(b, uint32((kind|int(f.mode()))<<16|dos), uint32(min(off, zip32Max)))
	return append(append(b, f.Name...), extra...)
}

func (zipFormat) padding(int64) int64 { return 0 }

func (zipFormat) needsSum() bool { return true }

func (z zipFormat) trailerBytes(a *Archive) int64 {
	var n int64
	var b []byte
	for i := range a.files {
		b = a.files[i].appendCentral(b[:0], 0, a.starts[i])
		n += int64(len(b))
	}
	return n + int64(len(z.end(a, n)))
}

func (z zipFormat) writeTrailer(w io.Writer, a *Archive, sum func(int) (uint32, error)) error {
	var n int64
	var b []byte
	for i := range a.files {
		var s uint32
		if !a.files[i].folder() {
			var err error
			if s, err = sum(i); err != nil {
				return err
			}
		}
		b = a.files[i].appendCentral(b[:0], s, a.starts[i])
		n += int64(len(b))
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err := w.Write(z.end(a, n))
	return err
}

// end returns the records behind the central directory, which has n bytes.
func (zipFormat) end(a *Archive, n int64) (b []byte) {
	count, off := len(a.files), a.starts[len(a.files)]
	if count >= zip16Max || n >= zip32Max || off >= zip32Max {
		b = append32(b, zip64End)
		b = append64(b, zip64EndBytes-12)
		b = append32(append16(b, zipUnix|zipBig, zipBig), 0, 0)
		b = append64(b, int64(count), int64(count), n, off)
		b = append64(append32(b, zip64Where, 0), off+n)
		b = append32(b, 1)
	}
	b = append32(b, zipEnd)
	b = append16(b, 0, 0, min(count, zip16Max), min(count, zip16Max))
	b = append32(b, uint32(min(n, zip32Max)), uint32(min(off, zip32Max)))
	return append16(b, 0)
}

// dosTime returns date and time in the form of MS-DOS, which knows the years from 1980 to 2107. It
// is UTC, because the reader's time zone is not known.
func dosTime(t time.Time) (date, clock int) {
	t = t.UTC()
	switch {
	case t.Year() < 1980:
		t = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	case t.Year() > 2107:
		t = time.Date(2107, 12, 31, 23, 59, 58, 0, time.UTC)
	}
	return (t.Year()-1980)<<9 | int(t.Month())<<5 | t.Day(), t.Hour()<<11 | t.Minute()<<5 | t.Second()/2
}

func append16(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func append32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func append64(b []byte, values ...int64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}
