package table

import (
	"bytes"
	"slices"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/notation"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// chunking is how a worker finds the records of its current batch.
type chunking struct {
	own             int // bytes of the chunk that come from the input: without an added last line feed
	ends            [records.Max]uint32
	stops           [records.Max]uint32
	ragged          []uint16
	where           *filter.Worker
	scopes          []scoped
	inSome          [records.Max]bool // by record: it is in a scope
	some            records.Selection
	comparisons     []comparison
	vectors         []*expr.Vector // by derived column; nil for those that are computed record by record
	finders         []*key.Worker  // by derived column; nil for expressions
	found, rest     records.Selection
	asking          asking
	comparedBad     badField          // nil if it is not reported
	carriageReturns bool              // the text may contain carriage returns
	short           bool              // records are so short that one search for carriage returns per chunk pays
	every           records.Selection // all records; must not be narrowed in place
	sel             records.Selection
	value           []byte

	bare     bool // only the number of records is asked for
	ordinary int  // chunks that are processed record by record before regular ones are looked for again
	inPlace  bool // nothing is ever added to text, or seldom, so it may be the block's own memory
	exposed  bool // records are being counted whose text may fault
	touched  byte

	nullLengths uint64 // a bit for the length of each text for null, the highest for all longer ones
}

func (w *worker) beginBatches(r *Run) {
	q := r.query
	w.Batch = batch.New(q.Wanted, q.Numbers, r.scales, q.Dialect.Mark(), func(column int) bool {
		if !q.Derived.Has(column) {
			return q.Dialect.Numbers != ""
		}
		return !q.NumbersOnly(column-q.Derived.First) && !q.IsJoined(column)
	})
	w.bare = r.recordsOnly()
	w.inPlace = (q.Dialect.Quote == 0 || w.bare) && len(q.Derived.All) == 0 && q.Dialect.Numbers == ""
	w.notation = notation.Named(q.Dialect.Numbers)
	for _, a := range q.Groups {
		w.inPlace = w.inPlace && len(a.Keys) < 2 && !a.JoinsTexts()
	}
	for _, null := range q.Dialect.Nulls {
		w.nullLengths |= 1 << min(len(null), nullLengthMax)
	}
	for _, d := range q.Derived.All {
		var v *expr.Vector
		var f *key.Worker
		switch {
		case d.Key != nil:
			f = d.Key.Worker()
		case d.Joined == nil:
			v = d.Vector()
		}
		w.vectors, w.finders = append(w.vectors, v), append(w.finders, f)
	}
	w.every = make(records.Selection, records.Max)
	for i := range w.every {
		w.every[i] = uint16(i)
	}
	w.sel = make(records.Selection, 0, records.Max)
	w.ragged = make([]uint16, 0, records.Max)
}

// badField is called for a field that a filter compares with a number and that holds no number.
type badField = func(column int, record uint16, field records.Span)

// A chunk has room for the line feed that the last record may lack.
var (
	chunkBytes   = threshold.New("table: bytes of a chunk", fields.ChunkBytes-1, 1)
	batchRecords = threshold.New("table: records of a batch", records.Max, 1)
)

// wholeRecords processes the complete records in b.Data[pos:end] that fit in a chunk, and returns
// their length. final is true if the input ends at end: then the rest is also a record.
func (w *worker) wholeRecords(b engine.Block, pos, end int, final bool) int {
	w.clock.begin()
	off := b.Off + int64(pos)
	n := min(end-pos, chunkBytes.Get())
	if last := pos + n; w.inPlace && pos >= records.SlackBytes && last+records.SlackBytes <= len(b.Data) {
		w.touch(b.Data[pos:min(len(b.Data), last+pageBytes)])
		w.Borrow(b.Data[pos:last])
		w.exposed = true
	} else {
		w.Batch.Begin(b.Data[pos : pos+n])
		if final && n == end-pos && w.Text[n-1] != '\n' {
			w.Text = append(w.Text, '\n')
		}
	}
	w.clock.lap(stageCopy)
	w.own = n
	found, begin := w.regularRecords()
	if found == 0 {
		found, begin = w.eachRecord(off)
	}
	w.exposed = false
	w.short = found > shortRecords
	if begin > 0 && off+int64(begin) > w.block.end && w.only == nil {
		w.block.feeds-- // the last line feed is in the next block, or was added
	}
	used := min(int(begin), n)
	if w.block.failed {
		used = int(w.block.failedAt - off)
	}
	w.processed(int64(used))
	return used
}

// recordsOnly reports whether the only question is how many records there are. Then no field of a
// regular record is looked at. A single column is left out: there, empty lines may be records.
func (r *Run) recordsOnly() bool {
	q := r.query
	return len(q.Wanted)+len(q.Groups)+len(q.Nth) == 0 && q.Filter == nil && q.First.Fields > 1 &&
		!q.Dialect.Splits()
}

// ordinaryChunks is how many chunks are processed record by record after one that was not regular:
// more of that kind are likely, and finding that out takes a third of the time.
var ordinaryChunks = threshold.New("table: chunks processed record by record after an irregular one", 16, 1)

// regularRecords counts the records of the chunk by the masks of its separators, if their number is
// all that is asked for and they all have as many fields as the first record of the input. It returns
// the number of records, 0 if that was not possible, and the place after them.
func (w *worker) regularRecords() (n int, end uint32) {
	if !w.bare || w.pass.fields == 1 {
		return 0, 0
	}
	if w.ordinary > 0 {
		w.ordinary--
		return 0, 0
	}
	w.chunk.MasksOnly = true
	w.run.variant.Func(w.chunk, w.Text, w.query.Dialect.Fields(), fields.AtField)
	w.chunk.MasksOnly = false
	n, end, ok := w.chunk.Regular(w.pass.fields)
	if !ok {
		w.ordinary = ordinaryChunks.Get()
		return 0, 0
	}
	w.block.feeds += int64(n)
	w.fitting += int64(n)
	w.clock.lap(stageFields)
	return n, end
}

// eachRecord processes the records of the chunk, which begins at off, in batches. It returns their
// number and the place after them.
func (w *worker) eachRecord(off int64) (found int, begin uint32) {
	size := len(w.Text)
	next := w.chunk.Ends
	if w.json != nil {
		w.json.Begin(w.Text)
		w.chunk.SetFeeds(size, w.json.Feeds)
		next = w.chunk.FeedsFrom
	} else {
		w.chunk.MasksOnly = w.split != nil
		w.run.variant.Func(w.chunk, w.Text, w.query.Dialect.Fields(), fields.AtField)
		if w.split == nil {
			w.chunk.Expect(w.pass.fields)
		} else {
			next = w.chunk.FeedsFrom
		}
	}
	w.carriageReturns = w.json == nil && (!w.short || bytes.IndexByte(w.Text, '\r') >= 0)
	ends := w.ends[:batchRecords.Get()]
	for !w.block.failed && !w.block.enough {
		k := next(begin, ends[:w.quota(len(ends))])
		if k == 0 {
			break
		}
		w.Text = w.Text[:size]
		w.processBatch(begin, k, off)
		begin = w.ends[k-1] + 1
		found += k
	}
	return found, begin
}

// touch reads one byte of each page of a text that is processed in place. If the mapping has lost
// pages, it faults here, before any record is counted.
func (w *worker) touch(text []byte) {
	for i := 0; i < len(text); i += pageBytes {
		w.touched += text[i]
	}
}

const pageBytes = 4096

// shortRecords: if a chunk has more records than this, they count as short.
const shortRecords = fields.ChunkBytes / 64

// processBatch processes n records of the chunk, the first of which begins at begin.
func (w *worker) processBatch(begin uint32, n int, off int64) {
	if w.query.Dialect.Linewise() {
		w.processLines(begin, n, off)
		return
	}
	ends, stops := w.ends[:n], w.stops[:n]
	if w.carriageReturns {
		fields.Stops(w.Text, begin, ends, stops)
	} else {
		stops = ends
	}
	if w.only == nil {
		w.block.feeds += int64(n)
	}
	sel := w.every[:n]
	w.ragged = w.chunk.Ragged(begin, ends, w.pass.fields, w.ragged[:0])
	_, badQuotes := w.chunk.FirstBad(begin, ends[n-1])
	if len(w.ragged) > 0 || badQuotes {
		sel = w.dropMalformed(begin, stops, off, badQuotes)
	}
	wanted, columns := w.pass.wanted, w.Columns
	w.bounds = bounds{begin: begin, ends: ends, stops: stops, regular: len(w.ragged) == 0 && !badQuotes}
	if w.query.Printed != nil {
		w.bounds.plain = w.bounds.regular && w.isPlain(w.Text[begin:ends[n-1]])
		if w.bounds.plain {
			wanted, columns = w.lean, w.leanColumns
		}
	}
	w.chunk.Locate(wanted, begin, ends, stops, columns)
	w.clock.lap(stageFields)
	w.answer(sel, func(i uint16) int64 { return off + int64(w.bounds.from(i)) })
}

// dropMalformed returns the records of the batch without empty lines, and without the malformed
// records that are not kept. Malformed records have too many or too few fields, or a misplaced
// quote.
func (w *worker) dropMalformed(begin uint32, stops []uint32, off int64, badQuotes bool) records.Selection {
	sel, ragged := w.sel[:0], w.ragged
	for i := range uint16(len(stops)) {
		from := begin
		if i > 0 {
			from = w.ends[i-1] + 1
		}
		keep, isRagged := true, len(ragged) > 0 && ragged[0] == i
		if isRagged {
			ragged = ragged[1:]
		}
		record, end := w.Text[from:stops[i]], w.ends[i]
		at, bad := uint32(0), false
		if badQuotes {
			at, bad = w.chunk.FirstBad(from, end)
		}
		switch {
		case isRagged && len(record) == 0:
			keep = false
			w.emptyLine()
		case bad:
			keep = w.malformedInChunk(off, from, end, query.Misplaced(off+int64(at)))
		case isRagged:
			keep = w.malformedInChunk(off, from, end, w.wrongFields(record))
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

// malformedInChunk reports a malformed record of the chunk. Its line feed is at end; for the last
// record of the input, the line feed may be an added one.
func (w *worker) malformedInChunk(off int64, from, end uint32, reason string) (keep bool) {
	lines := int64(bytes.Count(w.Text[from:end+1], []byte{'\n'}))
	return w.malformed(off+int64(from), int64(min(int(end)+1, w.own)-int(from)), lines, reason)
}

// answer adds the selected records of the batch to the answers. Their fields have been located.
// at returns the offset of a record in the input.
func (w *worker) answer(sel records.Selection, at func(i uint16) int64) {
	if w.dead {
		return
	}
	if len(w.query.Dialect.Nulls) > 0 {
		w.makeNull(sel)
	}
	if w.query.Dialect.Quote != 0 && !w.bounds.plain {
		for slot, column := range w.Columns[:len(w.query.InFile())] {
			if w.unquote(column, sel) {
				w.Odd[slot] = true
			}
		}
	}
	if w.notation != nil {
		w.readNumbers(sel)
	}
	if w.query.FileSlot >= 0 {
		w.nameInput(sel)
	}
	w.At = at
	w.asking.batches++
	if len(w.probes) > 0 {
		w.answerJoined(sel)
		return
	}
	w.answerRows(0, sel)
}

// answerRows adds records, or the rows that joins make of them. The derived columns before computed are known.
func (w *worker) answerRows(computed int, sel records.Selection) {
	w.derive(computed, w.query.Derived.Filtered, sel)
	if w.query.Filter != nil {
		sel = w.narrow(w.where.Select, w.narrowable(sel))
		w.clock.lap(stageFilter)
	}
	if w.only != nil {
		w.only.take(w, sel)
		return
	}
	if sel = w.divide(sel); len(w.scopes) > 1 {
		w.clock.lap(stageFilter)
	}
	w.fitting += int64(len(sel))
	w.derive(w.query.Derived.Filtered, len(w.query.Derived.All), sel)
	w.settleAsked()
	if w.query.Streams() {
		w.stream(sel)
		return
	}
	for i, n := range w.Numbers {
		within := w.scopes[w.query.Within[i]].sel
		w.parseNumbers(i, within)
		if !n.AllPlain {
			w.reviewNumbers(i, within, w.At)
		} else if len(within) > 0 {
			w.Seen[i].Kinds |= batch.HasNumbers
		}
	}
	w.settleAsked()
	if len(w.Numbers) > 0 {
		w.clock.lap(stageNumbers)
	}
	for _, o := range w.operators {
		if err := o.add(w, sel); err != nil {
			w.fail(err)
			return
		}
	}
}

// nullLengthMax is the number of the highest bit of nullLengths.
const nullLengthMax = 63

// makeNull makes fields null that are written as one of the texts for null.
func (w *worker) makeNull(sel records.Selection) {
	for _, column := range w.Columns[:len(w.query.InFile())] {
		for _, i := range sel {
			s := column[i]
			if w.nullLengths>>min(s.Len, nullLengthMax)&1 == 0 {
				continue
			}
			if slices.Contains(w.query.Dialect.Nulls, string(s.Of(w.Text))) {
				column[i] = value.Null
			}
		}
	}
}

// unquote replaces the quoted fields of a column by their values. It reports whether any field is an empty text, or
// begins with a zero byte.
func (w *worker) unquote(column records.Column, sel records.Selection) (odd bool) {
	quote := w.query.Dialect.Quote
	for _, i := range sel {
		s := column[i]
		if s.Len == 0 || w.Text[s.Off] > quote { // nearly all fields
			continue
		}
		if w.Text[s.Off] != quote {
			odd = odd || w.Text[s.Off] == 0
			continue
		}
		if last := s.Len - 1; last > 0 && w.Text[s.Off+last] == quote {
			inner := records.Span{Off: s.Off + 1, Len: last - 1}
			if bytes.IndexByte(inner.Of(w.Text), quote) < 0 {
				column[i] = inner
				odd = odd || inner.Len == 0 || w.Text[inner.Off] == 0
				continue
			}
		}
		w.value = w.query.Dialect.Quoting().Unquote(w.value[:0], s.Of(w.Text))
		if odd = odd || len(w.value) == 0 || w.value[0] == 0; len(w.value) == 0 { // a quote that is never closed
			column[i] = w.AddEmpty()
			continue
		}
		column[i] = w.Batch.Add(w.value)
	}
	return odd
}
