// Package key takes from the records of a batch what they are grouped by: a column, some of
// its bytes, or what a regular expression finds in it.
//
// Most expressions that people write for this are a row of simple steps: this byte, then
// skip spaces, then take all up to the next comma. Such a row is scanned for, byte by byte
// or, where the processor can, as bit masks of whole fields (see shape and scan). The
// regexp machine of the standard library says what is right, and does the rest.
package key

import "github.com/thresh-dev/thresh/internal/kernel/fields/records"

// Key is where in a record a key is. It is safe for concurrent use; the workers it gives
// out are not.
type Key struct {
	Text   string // as written
	Name   string // of the column, as written but without quotes
	Column int    // from 0

	behind string // what is written behind the name: a slice, an expression

	slice   Slice    // the bytes of the field that count
	pattern *Pattern // or what to look for in it; nil if nothing
}

// Heading is what an answer calls the key, whose column has this name.
func (k *Key) Heading(name string) string { return name + k.behind }

// Plan says in a few words how the key is found.
func (k *Key) Plan() string {
	switch {
	case k.pattern != nil:
		return k.pattern.Plan()
	case k.slice != Whole():
		return "slice"
	}
	return "column"
}

// IsColumn reports whether the key is all of its column.
func (k *Key) IsColumn() bool { return k.pattern == nil && k.slice == Whole() }

// IsRegex reports whether the key is what a regular expression finds.
func (k *Key) IsRegex() bool { return k.pattern != nil }

// Worker finds keys for one goroutine.
type Worker struct {
	key    *Key
	finder *Finder // nil if the key has no expression
}

// Worker returns a worker that shares nothing with others.
func (k *Key) Worker() *Worker {
	w := &Worker{key: k}
	if k.pattern != nil {
		w.finder = k.pattern.Finder()
	}
	return w
}

// Spans says for each selected record where in text its key is, in out at the record's
// number, and appends to kept the records that have one: only an expression may find none,
// and then what out says means nothing. column is that of the key; out may be column
// itself. kept may be sel[:0]: then sel is narrowed in place.
func (w *Worker) Spans(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	if w.finder != nil {
		return w.finder.scan(text, column, sel, out, kept)
	}
	w.key.slice.Cut(column, sel, out)
	return append(kept, sel...)
}
