package table

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/records"
)

// long takes a record of any length, part by part, and keeps nothing of it but the fields
// that are looked at. It goes byte by byte: such records are rare.
type long struct {
	quote, delim byte
	quoted       bool
	off          int64 // of its first byte
	n            int64 // bytes so far
	lines        int64 // line feeds in them
	behind       int64 // of these, those in blocks before the one that it ends in
	wanted       []int // fields to keep, ascending
	kept         [][]byte
	bytesMax     int // of a kept field

	field   int
	start   bool // at the start of a field
	inside  bool // of quotes
	closed  bool // directly behind a closing quote
	carried bool // directly behind a carriage return behind a closing quote
	bad     int64
	ended   bool
	large   int // a kept field that was too long, -1 for none
	skip    int // bytes before the record
	first   byte
}

// longShare is the part of the memory bound that one field may take.
const longShare = 8

func (w *worker) newLong(off int64) *long {
	d := w.Dialect
	return &long{quote: d.Quote, delim: d.Delim, quoted: d.Quote != 0, off: off, start: true, bad: -1, large: -1,
		wanted: w.wanted, kept: make([][]byte, len(w.wanted)),
		bytesMax: int(min(w.options.MemBytes/longShare, 1<<30))}
}

// feed takes the next part. It returns how many bytes of it belong to the record, and whether
// that has ended, by a line feed.
func (l *long) feed(part []byte) (used int, ended bool) {
	skipped := min(l.skip, len(part))
	l.skip -= skipped
	part = part[skipped:]
	slot := -1
	look := func() {
		slot = -1
		for k, f := range l.wanted {
			if f == l.field {
				slot = k
			}
		}
	}
	look()
	for i, c := range part {
		separates := !l.inside && (c == l.delim || c == '\n')
		isQuote := l.quoted && c == l.quote
		switch {
		case l.inside:
		case l.carried && c != '\n', l.closed && !separates && !isQuote && c != '\r',
			isQuote && !l.start && !l.closed:
			if l.bad < 0 {
				l.bad = l.off + l.n
			}
		}
		l.carried = l.closed && !l.inside && c == '\r'
		l.closed = isQuote && l.inside
		l.start = separates
		if isQuote {
			l.inside = !l.inside
		}
		if l.n == 0 {
			l.first = c
		}
		l.n++
		if c == '\n' {
			l.lines++
		}
		switch {
		case separates && c == '\n':
			l.ended = true
			return skipped + i + 1, true
		case separates:
			l.field++
			look()
		case slot >= 0 && len(l.kept[slot]) < l.bytesMax:
			l.kept[slot] = append(l.kept[slot], c)
		case slot >= 0:
			l.large = l.field
		}
	}
	return skipped + len(part), false
}

// blank reports whether there is nothing in the record, and its line is empty.
func (l *long) blank() bool {
	n := l.n
	if l.ended {
		n--
	}
	return n == 0 || n == 1 && l.first == '\r'
}

// one works on a long record, which has ended or ends with the input.
func (w *worker) one(l *long) {
	if l.ended && l != w.block.carry && l.off >= w.block.off && l.off+l.n <= w.block.end && w.only == nil {
		w.block.feeds++
	}
	if l.large >= 0 {
		w.fail(fmt.Errorf("%s: the record at byte %d: its field %d is longer than %d bytes, which is as much of --mem "+
			"as one field may take", w.pass.file.Name, l.off, l.large+1, l.bytesMax))
		return
	}
	reason := ""
	switch {
	case l.blank() && w.first.Fields > 1:
		if w.only == nil {
			w.empty++
		}
		return
	case l.bad >= 0:
		reason = misplaced(l.bad)
	case l.inside:
		reason = notClosed
	case l.field+1 != w.first.Fields:
		reason = wrongNumber(l.field+1, w.first.Fields)
	}
	if reason != "" && !w.malformed(l.off, reason) {
		return
	}
	w.text = w.memory[records.SlackBytes:records.SlackBytes]
	for k, kept := range l.kept {
		if n := len(kept); n > 0 && l.wanted[k] == l.field && kept[n-1] == '\r' {
			kept = kept[:n-1]
		}
		w.columns[k][0] = w.add(kept)
	}
	w.answer(append(w.sel[:0], 0), func(uint16) int64 { return l.off })
}
