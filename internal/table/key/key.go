// Package key extracts the keys by which records are grouped: a column, some of its bytes, or
// what a regular expression finds in it.
//
// Most expressions that people write for this are a sequence of simple steps: find this byte,
// skip spaces, take everything up to the next comma. Such a sequence is scanned byte by byte
// or, where the processor can, with bit masks of whole fields (see shape and scan). The
// standard library's regexp defines what is right. Where a scan cannot tell, package
// kernel/regex decides whether there is a match, and regexp finds the groups.
//
// kernel/regex does not replace the scan: it finds no groups, and per field it is 8 to 14 times
// slower than the scan. But it is 10 to 20 times faster than regexp on expressions without a
// scan (BenchmarkEngines).
package key

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// Key describes where in a record a key is. It is safe for concurrent use; its workers are
// not.
type Key struct {
	Text   string // as written; the user of the key may give it another name
	Spec   string // as written
	Name   string // of the column, as written but without quotes
	Column int    // from 0

	suffix string // what is written after the name: a slice, an expression
	alias  string // the name that the user gave to the key, or to the capture that is the key

	slice   Slice    // the bytes of the field that are the key
	pattern *Pattern // the expression to find in the field, instead of a slice; nil for none
}

// Extract returns the key that is what an expression finds in a column: its group of that number, 0 for the whole
// match.
func Extract(column int, expr string, group int) (*Key, error) {
	p, err := Compile(expr)
	if err != nil {
		return nil, err
	}
	if n := p.re.NumSubexp(); group > n {
		return nil, fmt.Errorf("the pattern has %s, and no group %d", numeral.Count(n, "group"), group)
	}
	if group != p.group {
		p = p.grouped(group)
	}
	return &Key{Column: column, slice: Whole(), pattern: p}, nil
}

// Heading returns the name of the key in an answer. The name is that of its column.
func (k *Key) Heading(name string) string {
	if k.alias != "" {
		return k.alias
	}
	return name + k.suffix
}

// Plan describes briefly how the key is found.
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

// MatchesEmpty reports whether the key is what a regular expression finds, which matches the empty text.
func (k *Key) MatchesEmpty() bool { return k.pattern != nil && k.pattern.MatchesEmpty() }

// IsPrefix reports whether the key is the beginning of its column, or all of it.
func (k *Key) IsPrefix() bool { return k.pattern == nil && k.slice.From == 0 && k.slice.To > 0 }

// IsRegex reports whether the key is what a regular expression finds.
func (k *Key) IsRegex() bool { return k.pattern != nil }

// WorkerBytes returns the memory that a worker may take.
func (k *Key) WorkerBytes() int64 {
	if k.pattern == nil {
		return 0
	}
	return k.pattern.FinderBytes()
}

// Worker finds keys for one goroutine.
type Worker struct {
	key    *Key
	finder *Finder // nil if the key has no expression
}

// Worker returns a worker that shares no state with other workers.
func (k *Key) Worker() *Worker {
	w := &Worker{key: k}
	if k.pattern != nil {
		w.finder = k.pattern.Finder()
	}
	return w
}

// Spans finds the key of each selected record. It stores the key's place in text in
// out[record], and appends the records that have a key to kept. Only an expression can find
// none; out[record] is then undefined. column is the column of the key; out may be column
// itself. kept may be sel[:0], which narrows sel in place.
func (w *Worker) Spans(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	if w.finder != nil {
		return w.finder.scan(text, column, sel, out, kept)
	}
	w.key.slice.Cut(column, sel, out)
	return append(kept, sel...)
}
