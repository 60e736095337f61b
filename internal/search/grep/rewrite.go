package grep

import "bytes"

// shown is a line as it is printed: with another text in some places, if there is a Format.Rewrite.
type shown struct {
	text  []byte // as it is in the input
	head  []byte // what is printed in place of text[:old]
	old   int
	edits []edit
}

// edit is a place of a text and of the head.
type edit struct{ from, to, newFrom, newTo int }

// rewrite sets the line. Only what is before the end of the last edit is copied.
func (l *shown) rewrite(f *Format, line []byte, off int64) error {
	l.text = line
	if f.Rewrite == nil {
		return nil
	}
	l.head, l.old, l.edits = l.head[:0], 0, l.edits[:0]
	return f.Rewrite(line, f.at(off), func(from, to int, text string) {
		l.head = append(l.head, line[l.old:from]...)
		newFrom := len(l.head)
		l.head = append(l.head, text...)
		l.edits = append(l.edits, edit{from, to, newFrom, len(l.head)})
		l.old = to
	})
}

// trim removes the line feed.
func (l *shown) trim() { l.text = bytes.TrimSuffix(l.text, feed) }

// bytes returns how long the line is as it is printed.
func (l *shown) bytes() int { return len(l.head) + len(l.text) - l.old }

// part returns what is printed of a part of the text, in two pieces.
func (l *shown) part(from, to int) (head, rest []byte) {
	if from >= l.old {
		return nil, l.text[from:to]
	}
	return l.headPart(from, to)
}

func (l *shown) headPart(from, to int) (head, rest []byte) {
	newFrom, newTo := l.place(from, to)
	if to <= l.old {
		return l.head[newFrom:newTo], nil
	}
	return l.head[newFrom:], l.text[l.old:to]
}

// place returns where a part of the text is in what is printed. A part that begins or ends within an edit has all of it
// if that is not as long as what it replaces.
func (l *shown) place(from, to int) (newFrom, newTo int) {
	shift := 0
	newFrom, newTo = from, to
	for _, e := range l.edits {
		same := e.to-e.from == e.newTo-e.newFrom
		shift = e.newTo - e.to
		switch {
		case from >= e.to:
			newFrom = from + shift
		case from > e.from && !same:
			newFrom = e.newFrom
		}
		switch {
		case to >= e.to:
			newTo = to + shift
		case to > e.from && !same && from < to:
			newTo = e.newTo
		case to > e.from && !same:
			newTo = e.newFrom
		}
	}
	return newFrom, newTo
}
