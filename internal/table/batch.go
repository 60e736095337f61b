package table

import (
	"bytes"
	"slices"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// batch is what a worker has of the records in hand.
type batch struct {
	memory  []byte // text, with slack before it
	text    []byte // what fields lie in: a chunk, and behind it values that had to be made
	own     int    // bytes of the chunk that the input has, as it may end without a line feed
	ends    [records.Max]uint32
	stops   [records.Max]uint32
	odd     []uint16
	columns []records.Column
	numbers []*decimal.Numbers
	where   *filter.Worker
	slots   []int             // of numbers, their columns
	returns bool              // there are carriage returns in the text
	narrow  bool              // records are so short that it pays to look for these once a chunk
	every   records.Selection // all records; not to be narrowed in place
	sel     records.Selection
	value   []byte

	inPlace bool // nothing is ever added to the text, which may then be that of the block
	exposed bool // records are being counted whose text may vanish
	touched byte
	next    ahead // what follows a text in place
}

const textBytes = records.SlackBytes + fields.ChunkBytes + records.SlackBytes

func (b *batch) init(r *Run) {
	b.memory = make([]byte, textBytes)
	b.text = b.memory[records.SlackBytes:records.SlackBytes]
	b.inPlace = r.Dialect.Quote == 0
	for _, a := range r.query.groups {
		b.inPlace = b.inPlace && len(a.keys) < 2
	}
	for range r.wanted {
		b.columns = append(b.columns, make(records.Column, records.Max))
	}
	for i, column := range r.query.numbers {
		b.slots = append(b.slots, r.slot(column))
		b.numbers = append(b.numbers, &decimal.Numbers{Scale: r.scales[i], Fixed: true})
	}
	b.every = make(records.Selection, records.Max)
	for i := range b.every {
		b.every[i] = uint16(i)
	}
	b.sel = make(records.Selection, 0, records.Max)
	b.odd = make([]uint16, 0, records.Max)
}

// add appends a value to the text, behind what is there.
func (b *batch) add(value []byte) records.Span {
	off := len(b.text)
	if off+len(value)+records.SlackBytes > cap(b.text) {
		b.memory = make([]byte, 2*(len(b.memory)+len(value)))
		text := b.memory[records.SlackBytes:][:off]
		copy(text, b.text)
		b.text = text
	}
	b.text = append(b.text, value...)
	return records.Span{Off: uint32(off), Len: uint32(len(value))}
}

// A chunk has room for the line feed that a last record may lack.
var (
	chunkBytes   = threshold.New("table: bytes of a chunk", fields.ChunkBytes-1, 1)
	batchRecords = threshold.New("table: records of a batch", records.Max, 1)
)

// wholeRecords works on the whole records between pos and end of the block's data, as far as
// they fit a chunk. It returns their length. Final tells that what is left over is a record
// too, as the input ends.
func (w *worker) wholeRecords(b engine.Block, pos, end int, final bool) int {
	w.clock.begin()
	off := b.Off + int64(pos)
	n := min(end-pos, chunkBytes.Get())
	if last := pos + n; w.inPlace && pos >= records.SlackBytes && last+records.SlackBytes <= len(b.Data) {
		w.touch(b.Data[pos:last])
		w.text = b.Data[pos:last]
		w.exposed = true
		w.next.begin(b.Data[last:])
	} else {
		w.next.begin(nil)
		w.text = w.memory[records.SlackBytes:][:n]
		copy(w.text, b.Data[pos:])
		if final && n == end-pos && w.text[n-1] != '\n' {
			w.text = append(w.text, '\n')
		}
	}
	w.clock.lap(stageCopy)
	w.next.fetch()
	size := len(w.text)
	w.own = n
	w.form.Func(w.chunk, w.text, w.Dialect.fields(), fields.AtField)
	w.next.fetch()
	w.returns = !w.narrow || bytes.IndexByte(w.text, '\r') >= 0
	begin, found, ends := uint32(0), 0, w.ends[:batchRecords.Get()]
	for !w.block.failed {
		k := w.chunk.Ends(begin, ends)
		if k == 0 {
			break
		}
		w.text = w.text[:size]
		w.located(begin, k, off)
		begin = w.ends[k-1] + 1
		found += k
	}
	w.exposed = false
	w.narrow = found > narrowRecords
	if begin > 0 && off+int64(begin) > w.block.end && w.only == nil {
		w.block.feeds-- // this one belongs to the next block, or was ours
	}
	used := min(int(begin), n)
	if w.block.failed {
		used = int(w.block.failedAt - off)
	}
	w.seen(int64(used))
	return used
}

// touch reads a byte of each page of a text that is worked on where it lies. A mapping that
// has lost pages is found out so, before any record was counted.
func (w *worker) touch(text []byte) {
	for i := 0; i < len(text); i += pageBytes {
		w.touched += text[i]
	}
}

const pageBytes = 4096

// narrowRecords is how many records a chunk of narrow ones has.
const narrowRecords = fields.ChunkBytes / 64

// located works on n records of the chunk, of which the first begins at begin.
func (w *worker) located(begin uint32, n int, off int64) {
	ends, stops := w.ends[:n], w.stops[:n]
	if w.returns {
		fields.Stops(w.text, begin, ends, stops)
	} else {
		stops = ends
	}
	if w.only == nil {
		w.block.feeds += int64(n)
	}
	sel := w.every[:n]
	w.next.fetch()
	w.odd = w.chunk.Ragged(begin, ends, w.first.Fields, w.odd[:0])
	_, badQuotes := w.chunk.FirstBad(begin, ends[n-1])
	if len(w.odd) > 0 || badQuotes {
		sel = w.sort(begin, stops, off, badQuotes)
	}
	w.chunk.Locate(w.wanted, begin, ends, stops, w.columns)
	w.next.fetch()
	w.clock.lap(stageFields)
	w.answer(sel, func(i uint16) int64 {
		if i == 0 {
			return off + int64(begin)
		}
		return off + int64(ends[i-1]) + 1
	})
}

// sort leaves in sel the records that are to be kept, of those that have more or fewer fields
// than they should, or quotes out of place.
func (w *worker) sort(begin uint32, stops []uint32, off int64, badQuotes bool) records.Selection {
	sel, odd := w.sel[:0], w.odd
	for i := range uint16(len(stops)) {
		from := begin
		if i > 0 {
			from = w.ends[i-1] + 1
		}
		keep, ragged := true, len(odd) > 0 && odd[0] == i
		if ragged {
			odd = odd[1:]
		}
		record, end := w.text[from:stops[i]], w.ends[i]
		at, bad := uint32(0), false
		if badQuotes {
			at, bad = w.chunk.FirstBad(from, end)
		}
		switch {
		case ragged && len(record) == 0:
			keep = false
			w.emptyLine()
		case bad:
			keep = w.wrongRecord(off, from, end, misplaced(off+int64(at)))
		case ragged:
			keep = w.wrongRecord(off, from, end, w.wrongFields(record))
		}
		if w.block.failed {
			return sel
		}
		if keep {
			sel = append(sel, i)
		}
	}
	return sel
}

// wrongRecord takes note of a malformed record of the chunk, with the line feed at end, which
// the last one of the input may not have.
func (w *worker) wrongRecord(off int64, from, end uint32, reason string) (keep bool) {
	lines := int64(bytes.Count(w.text[from:end+1], []byte{'\n'}))
	return w.malformed(off+int64(from), int64(min(int(end)+1, w.own)-int(from)), lines, reason)
}

// answer answers the questions for the selected records of the batch, whose fields were
// located. At tells where a record begins in the input.
func (w *worker) answer(sel records.Selection, at func(i uint16) int64) {
	if w.Dialect.Quote != 0 {
		for _, column := range w.columns {
			w.unquote(column, sel)
		}
	}
	if w.filter != nil {
		if len(sel) > 0 && &sel[0] == &w.every[0] {
			sel = append(w.sel[:0], sel...)
		}
		sel = w.where.Select(w.text, w.column, sel)
		w.clock.lap(stageFilter)
	}
	if w.only != nil {
		w.only.take(w, sel)
		return
	}
	w.fitting += int64(len(sel))
	for i, n := range w.numbers {
		w.next.fetch()
		n.Parse(w.text, w.columns[w.slots[i]], sel)
		if !n.AllPlain {
			w.oddNumbers(i, sel, at)
		}
	}
	if len(w.numbers) > 0 {
		w.clock.lap(stageNumbers)
	}
	for _, g := range w.groups {
		if err := g.add(w, sel); err != nil {
			w.fail(err)
			return
		}
	}
}

// column returns where a column of the input lies.
func (w *worker) column(i int) records.Column { return w.columns[w.slot(i)] }

// unquote makes the fields of a column their values.
func (w *worker) unquote(column records.Column, sel records.Selection) {
	quote := w.Dialect.Quote
	for _, i := range sel {
		s := column[i]
		if s.Len == 0 || w.text[s.Off] != quote {
			continue
		}
		if last := s.Len - 1; last > 0 && w.text[s.Off+last] == quote {
			inner := records.Span{Off: s.Off + 1, Len: last - 1}
			if bytes.IndexByte(inner.Of(w.text), quote) < 0 {
				column[i] = inner
				continue
			}
		}
		w.value = w.Dialect.fields().Unquote(w.value[:0], s.Of(w.text))
		column[i] = w.add(w.value)
	}
}

// oddNumbers takes note of the fields of a column that are no numbers, and of those that are
// not exact decimals.
func (w *worker) oddNumbers(number int, sel records.Selection, at func(i uint16) int64) {
	n, column := w.numbers[number], w.columns[w.slots[number]]
	for _, i := range sel {
		switch n.Kinds[i] {
		case decimal.Bad:
			w.bad[number]++
			field := column[i].Of(w.text)
			w.mark(mark{off: at(i), column: number, reason: badNumber(w.first.name(w.query.numbers[number]), field)})
		case decimal.Odd:
			if !w.floats[number] || !w.large[number] {
				_, kind := decimal.Parse(column[i].Of(w.text))
				w.floats[number] = w.floats[number] || kind == decimal.Odd
				w.large[number] = w.large[number] || kind == decimal.Plain
			}
		}
	}
}

// scalesIn returns for each column that is parsed how many digits behind the point integers
// shall have room for: those of the numbers at the input's beginning, and more as far as
// these are not large. It only matters for the speed of those that do not fit.
func (r *Run) scalesIn(head []byte) []int {
	scales := make([]int, len(r.numbers))
	for i := range scales {
		scales[i] = decimal.ScaleMax
	}
	d := r.Dialect.fields()
	head = head[min(r.first.Begin, int64(len(head))):]
	for len(head) > 0 {
		n, _ := r.Dialect.recordLen(head)
		d.Split(trimEnd(head[:n]), func(field, from, to int) bool {
			if i := slices.Index(r.numbers, field); i >= 0 {
				value := d.Unquote(nil, head[from:to])
				whole := len(bytes.TrimLeft(value[:max(0, slices.Index(append(value, '.'), '.'))], "+-0"))
				scales[i] = max(0, min(scales[i], roomDigits-whole))
			}
			return true
		})
		head = head[n:]
	}
	return scales
}

// roomDigits is how many digits a number of a usual column may have, so that one that is a
// thousand times as large as those at the beginning fits as well.
const roomDigits = 15
