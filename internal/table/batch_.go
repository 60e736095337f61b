package table

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// batch is some hundred records of one worker, column by column.
type batch struct {
	text    []byte               // the text of all fields: a chunk, then values that had to be built
	columns []records.Column     // by slot
	texts   []records.Column     // the same as texts, without the marks of floats; columns, but for some derived ones
	odd     []bool               // by slot: some field is an empty text, or begins with a zero byte
	mark    byte                 // follows empty fields that are not null
	numbers []*decimal.Numbers   // by number column
	seen    []seen               // by number column, of all batches
	slots   []int                // by number column: its slot
	wanted  []int                // by slot: the column
	input   int64                // number of the input
	at      func(i uint16) int64 // the offset of a record in the input

	memory   []byte // the memory of text, with slack before it
	borrowed bool   // text is the memory of the input
}

const textBytes = records.SlackBytes + fields.ChunkBytes + fields.HeadSlack

// newBatch returns a batch of the wanted columns, of which some are parsed as numbers. Separate reports whether the
// texts of a column may differ from its fields.
func newBatch(wanted, numbers, scales []int, mark byte, separate func(column int) bool) batch {
	b := batch{mark: mark, wanted: wanted, seen: make([]seen, len(numbers)), memory: make([]byte, textBytes),
		odd: make([]bool, len(wanted))}
	b.begin(nil)
	for _, column := range wanted {
		b.columns = append(b.columns, make(records.Column, records.Max))
		b.texts = append(b.texts, b.columns[len(b.columns)-1])
		if separate(column) {
			b.texts[len(b.texts)-1] = make(records.Column, records.Max)
		}
	}
	for i, column := range numbers {
		b.slots = append(b.slots, b.slot(column))
		b.numbers = append(b.numbers, &decimal.Numbers{Scale: scales[i], Fixed: true})
	}
	return b
}

// begin begins a batch whose text is a copy.
func (b *batch) begin(text []byte) {
	b.text, b.borrowed = append(b.memory[records.SlackBytes:records.SlackBytes], text...), false
}

// borrow begins a batch whose text stays where it is, with slack around it.
func (b *batch) borrow(text []byte) { b.text, b.borrowed = text, true }

// slot returns the index of a column in wanted.
func (b *batch) slot(column int) int {
	i, _ := slices.BinarySearch(b.wanted, column)
	return i
}

// column returns the fields of a column of the input, or the values of an expression.
func (b *batch) column(i int) records.Column { return b.columns[b.slot(i)] }

// textColumn is column where the values are texts: those of floats are written as such.
func (b *batch) textColumn(i int) records.Column { return b.texts[b.slot(i)] }

// numberColumn returns the fields of a number column.
func (b *batch) numberColumn(number int) records.Column { return b.columns[b.slots[number]] }

// number returns the number of a record in a number column; ok is false if it has none.
func (b *batch) number(number int, i uint16) (n decimal.Number, ok bool) {
	switch all := b.numbers[number]; all.Kinds[i] {
	case decimal.Plain:
		return decimal.FromPlain(all.Mantissa[i], all.Scale), true
	case decimal.Irregular:
		n, _ = decimal.Parse(b.numberColumn(number)[i].Of(b.text))
		return n, true
	}
	return n, false
}

// isNull reports whether a field is null.
func (b *batch) isNull(f records.Span) bool { return value.IsNull(b.text, f, b.mark) }

// field returns the bytes of a field, nil if it is null.
func (b *batch) field(s records.Span) []byte {
	if s.Len == 0 && b.isNull(s) {
		return nil
	}
	return s.Of(b.text)
}

// add appends a value to the text, and returns its span.
func (b *batch) add(value []byte) records.Span {
	b.reserve(len(value))
	off := len(b.text)
	b.text = append(b.text, value...)
	return records.Span{Off: uint32(off), Len: uint32(len(value))}
}

// addEmpty returns the span of an empty text, which is not null.
func (b *batch) addEmpty() records.Span {
	if len(b.text) == 0 { // what lies at the beginning is null
		b.add([]byte{0})
	}
	return records.Span{Off: b.add([]byte{b.mark}).Off}
}

// reserve makes room for n more bytes of text.
func (b *batch) reserve(n int) {
	if b.borrowed { // a string of JSON with escapes
		text := b.memory[records.SlackBytes:][:len(b.text)]
		copy(text, b.text)
		b.text, b.borrowed = text, false
	}
	if off := len(b.text); off+n+records.SlackBytes > cap(b.text) {
		b.memory = make([]byte, 2*(len(b.memory)+n))
		text := b.memory[records.SlackBytes:][:off]
		copy(text, b.text)
		b.text = text
	}
}
