// Package batch has some hundred records at a time, column by column: their fields, and the numbers among them. A
// worker fills it, and whatever answers questions reads it.
package batch

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Batch is some hundred records of one worker, column by column.
type Batch struct {
	Text    []byte               // of all fields: a chunk, then values that had to be built
	Columns []records.Column     // by slot
	Texts   []records.Column     // as texts, without the marks of floats; Columns, but for some derived ones
	Odd     []bool               // by slot: some field is an empty text, or begins with a zero byte
	Mark    byte                 // follows empty fields that are not null
	Numbers []*decimal.Numbers   // by number column
	Seen    []Seen               // by number column, of all batches
	slots   []int                // by number column: its slot
	wanted  []int                // by slot: the column
	Input   int64                // number of the input
	At      func(i uint16) int64 // the offset of a record in the input

	memory   []byte // of Text, with slack before it
	borrowed bool   // Text is the memory of the input
}

const textBytes = records.SlackBytes + fields.ChunkBytes + records.SlackBytes

// New returns a batch of the wanted columns, of which some are parsed as numbers. Separate reports whether the
// texts of a column may differ from its fields.
func New(wanted, numbers, scales []int, mark byte, separate func(column int) bool) Batch {
	b := Batch{Mark: mark, wanted: wanted, Seen: make([]Seen, len(numbers)), memory: make([]byte, textBytes),
		Odd: make([]bool, len(wanted))}
	b.Begin(nil)
	for _, column := range wanted {
		b.Columns = append(b.Columns, make(records.Column, records.Max))
		b.Texts = append(b.Texts, b.Columns[len(b.Columns)-1])
		if separate(column) {
			b.Texts[len(b.Texts)-1] = make(records.Column, records.Max)
		}
	}
	for i, column := range numbers {
		b.slots = append(b.slots, b.Slot(column))
		b.Numbers = append(b.Numbers, &decimal.Numbers{Scale: scales[i], Fixed: true})
	}
	return b
}

// Begin begins a batch whose text is a copy.
func (b *Batch) Begin(text []byte) {
	b.Text, b.borrowed = append(b.memory[records.SlackBytes:records.SlackBytes], text...), false
}

// Borrow begins a batch whose text stays where it is, with slack around it.
func (b *Batch) Borrow(text []byte) { b.Text, b.borrowed = text, true }

// Slot returns the index of a column in wanted.
func (b *Batch) Slot(column int) int {
	i, _ := slices.BinarySearch(b.wanted, column)
	return i
}

// Column returns the fields of a column of the input, or the values of an expression.
func (b *Batch) Column(i int) records.Column { return b.Columns[b.Slot(i)] }

// TextColumn is column where the values are texts: those of floats are written as such.
func (b *Batch) TextColumn(i int) records.Column { return b.Texts[b.Slot(i)] }

// NumberColumn returns the fields of a number column.
func (b *Batch) NumberColumn(number int) records.Column { return b.Columns[b.slots[number]] }

// Number returns the number of a record in a number column; ok is false if it has none.
func (b *Batch) Number(number int, i uint16) (n decimal.Number, ok bool) {
	switch all := b.Numbers[number]; all.Kinds[i] {
	case decimal.Plain:
		return decimal.FromPlain(all.Mantissa[i], all.Scale), true
	case decimal.Irregular:
		n, _ = decimal.Parse(b.NumberColumn(number)[i].Of(b.Text))
		return n, true
	}
	return n, false
}

// IsNull reports whether a field is null.
func (b *Batch) IsNull(f records.Span) bool { return value.IsNull(b.Text, f, b.Mark) }

// Field returns the bytes of a field, nil if it is null.
func (b *Batch) Field(s records.Span) []byte {
	if s.Len == 0 && b.IsNull(s) {
		return nil
	}
	return s.Of(b.Text)
}

// Add appends a value to the text, and returns its span.
func (b *Batch) Add(value []byte) records.Span {
	b.Reserve(len(value))
	off := len(b.Text)
	b.Text = append(b.Text, value...)
	return records.Span{Off: uint32(off), Len: uint32(len(value))}
}

// AddEmpty returns the span of an empty text, which is not null.
func (b *Batch) AddEmpty() records.Span {
	if len(b.Text) == 0 { // what lies at the beginning is null
		b.Add([]byte{0})
	}
	return records.Span{Off: b.Add([]byte{b.Mark}).Off}
}

// Reserve makes room for n more bytes of text.
func (b *Batch) Reserve(n int) {
	if b.borrowed { // a string of JSON with escapes
		text := b.memory[records.SlackBytes:][:len(b.Text)]
		copy(text, b.Text)
		b.Text, b.borrowed = text, false
	}
	if off := len(b.Text); off+n+records.SlackBytes > cap(b.Text) {
		b.memory = make([]byte, 2*(len(b.memory)+n))
		text := b.memory[records.SlackBytes:][:off]
		copy(text, b.Text)
		b.Text = text
	}
}
