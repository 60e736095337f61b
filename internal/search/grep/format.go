package grep

import (
	"strconv"
	"time"
)

// Format says how selected lines are printed.
type Format struct {
	Name    string // of the input, in results; "" without names
	Null    bool   // a zero byte follows the name
	Numbers bool   // the number of each line, from 1
	Offsets bool   // the offset of each line, or of each match with Only
	Only    bool   // matches, one a line
	Color   bool
	JSON    bool // the messages of ripgrep
	Records bool // lines for a program, see Records
	Bare    bool // of Records: without the matches in the lines
	// Moved, if not nil, is called when the first line is printed or later, and returns the offset of the first
	// byte that is searched. It is added to all offsets in results.
	Moved func() int64
	// Rewrite, if not nil, passes on what is printed in place of the bytes of a line between two indices, in ascending
	// order. Off is the offset of the line as it is printed.
	Rewrite func(line []byte, off int64, edit func(from, to int, text string)) error
}

// at returns an offset as it is printed.
func (f *Format) at(off int64) int64 {
	if f.Moved != nil {
		off += f.Moved()
	}
	return off
}

// formatter prints lines in one format.
type formatter interface {
	// plain reports whether lines are printed as they are, with nothing between them.
	plain() bool
	// wantsMatches reports whether line needs the matches in a line.
	wantsMatches() bool
	line(line *shown, off, num int64, matches [][2]int) error
	context(line *shown, off, num int64) error
	separator() string // between groups of lines
	// binary prints that a line is selected, and not printed because of the zero byte at off.
	binary(off int64) error
	end(p *printer) error
}

func newFormatter(o *Options, out *Sink) formatter {
	switch {
	case o.Records:
		return &recordFormat{Sink: out, Format: o.Format}
	case o.JSON:
		return &jsonFormat{Sink: out, Format: o.Format, since: time.Now()}
	}
	return &lineFormat{Format: o.Format, Sink: out}
}

// lineFormat prints lines as grep does: FILE:LINE:OFFSET:TEXT.
type lineFormat struct {
	Format
	*Sink
}

// The colours of grep.
const (
	colorName  = "\x1b[35m"
	colorNum   = "\x1b[32m"
	colorSep   = "\x1b[36m"
	colorMatch = "\x1b[1;31m"
	colorOff   = "\x1b[0m"
)

func (f *lineFormat) plain() bool {
	return f.Name == "" && !f.Numbers && !f.Offsets && !f.Only && !f.Color && f.Rewrite == nil
}

func (f *lineFormat) wantsMatches() bool { return f.Only || f.Color }

func (f *lineFormat) line(line *shown, off, num int64, matches [][2]int) error {
	line.trim()
	if f.Only {
		return f.only(line, off, num, matches)
	}
	f.prefix(':', off, num)
	at := 0
	if f.Color {
		for _, m := range matches {
			if m[0] == m[1] {
				continue
			}
			if err := f.addPart(line, at, m[0]); err != nil {
				return err
			}
			if err := f.match(line, m); err != nil {
				return err
			}
			at = m[1]
		}
	}
	return f.endLine(line, at)
}

// only prints the matches in a line that are not empty.
func (f *lineFormat) only(line *shown, off, num int64, matches [][2]int) error {
	for _, m := range matches {
		if m[0] == m[1] {
			continue
		}
		f.prefix(':', off+int64(m[0]), num)
		if err := f.match(line, m); err != nil {
			return err
		}
		if err := f.add(feed); err != nil {
			return err
		}
	}
	return nil
}

func (f *lineFormat) match(line *shown, m [2]int) error {
	f.color(colorMatch)
	err := f.addPart(line, m[0], m[1])
	f.color(colorOff)
	return err
}

func (f *lineFormat) context(line *shown, off, num int64) error {
	line.trim()
	f.prefix('-', off, num)
	return f.endLine(line, 0)
}

// endLine prints the rest of a line.
func (f *lineFormat) endLine(line *shown, from int) error {
	if err := f.addPart(line, from, len(line.text)); err != nil {
		return err
	}
	return f.add(feed)
}

// prefix prints what comes before a line.
func (f *lineFormat) prefix(sep byte, off, num int64) {
	if f.Name != "" {
		f.color(colorName)
		f.text(f.Name)
		f.color(colorOff)
		if f.Null {
			f.byte(0)
		} else {
			f.sep(sep)
		}
	}
	if f.Numbers {
		f.number(num)
		f.sep(sep)
	}
	if f.Offsets {
		f.number(f.at(off))
		f.sep(sep)
	}
}

func (f *lineFormat) number(n int64) {
	f.color(colorNum)
	f.buf = strconv.AppendInt(f.buf, n, 10)
	f.color(colorOff)
}

func (f *lineFormat) sep(c byte) {
	f.color(colorSep)
	f.byte(c)
	f.color(colorOff)
}

func (f *lineFormat) color(c string) {
	if f.Color {
		f.text(c)
	}
}

func (f *lineFormat) separator() string {
	if f.Color {
		return colorSep + "--" + colorOff + "\n"
	}
	return "--\n"
}

func (f *lineFormat) binary(off int64) error {
	if f.Name != "" {
		f.text(f.Name)
		f.text(": ")
	}
	f.text("binary file matches (a zero byte at offset ")
	f.buf = strconv.AppendInt(f.buf, f.at(off), 10)
	f.text("; -a prints its lines)")
	return f.add(feed)
}

func (f *lineFormat) end(*printer) error { return nil }
