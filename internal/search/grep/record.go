package grep

import (
	"encoding/binary"

	"github.com/thresh-dev/thresh/answer"
)

// recordFormat writes lines for a program: each as a header of fixed size, its matches, and its bytes. It goes through
// the Sink as printed lines do, and so has its order, its memory and its delays.
type recordFormat struct {
	*Sink
	Format
}

// The kinds of records.
const (
	recordLine byte = iota
	recordContext
	recordBinary
)

// recordHeader is the size of a header: kind, offset, number, number of matches, and bytes of the line.
const recordHeader = 1 + 8 + 8 + 8 + 8

func (f *recordFormat) plain() bool        { return false }
func (f *recordFormat) wantsMatches() bool { return !f.Bare }
func (f *recordFormat) separator() string  { return "" }
func (f *recordFormat) end(*printer) error { return nil }

func (f *recordFormat) line(line *shown, off, num int64, matches [][2]int) error {
	return f.record(recordLine, line, off, num, matches)
}

func (f *recordFormat) context(line *shown, off, num int64) error {
	return f.record(recordContext, line, off, num, nil)
}

func (f *recordFormat) binary(off int64) error { return f.record(recordBinary, &shown{}, off, 0, nil) }

func (f *recordFormat) record(kind byte, line *shown, off, num int64, matches [][2]int) error {
	line.trim()
	f.byte(kind)
	for _, n := range [...]int64{f.at(off), num, int64(len(matches)), int64(line.bytes())} {
		f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(n))
	}
	for _, m := range matches {
		from, to := line.place(m[0], m[1])
		f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(from))
		f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(to))
	}
	return f.addPart(line, 0, len(line.text))
}

// Records takes the lines apart that recordFormat has written. The zero value has no lines yet.
type Records struct {
	buf     []byte
	held    []byte // the end of buf: what was written and not yet returned
	matches []answer.Match
}

// Write adds a copy of a part of what was written.
func (r *Records) Write(b []byte) {
	r.buf = append(append(r.buf[:0], r.held...), b...)
	r.held = r.buf
}

// Next returns the next line that is there as a whole. It is valid until the next call of Next or Write.
func (r *Records) Next() (line answer.Line, ok bool) {
	if len(r.held) < recordHeader {
		return line, false
	}
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint64(r.held[at:])) }
	matches, size := int(number(17)), int(number(25))
	begin := recordHeader + 16*matches
	if len(r.held)-begin < size {
		return line, false
	}
	line.Kind, line.Offset, line.Number = answer.LineKind(r.held[0]), number(1), number(9)
	r.matches = r.matches[:0]
	for i := range matches {
		at := recordHeader + 16*i
		r.matches = append(r.matches, answer.Match{Start: int(number(at)), End: int(number(at + 8))})
	}
	if line.Kind != answer.LineBinary {
		line.Matches, line.Text = r.matches, r.held[begin:begin+size:begin+size]
	}
	r.held = r.held[begin+size:]
	return line, true
}
