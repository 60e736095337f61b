package table

import (
	"bytes"
	"slices"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// batch holds a worker's current batch of records.
type batch struct {
	memory          []byte // the memory of text, with slack before it
	text            []byte // the text of all fields: a chunk, then values that had to be built
	own             int    // bytes of the chunk that come from the input: without an added last line feed
	ends            [records.Max]uint32
	stops           [records.Max]uint32
	ragged          []uint16
	columns         []records.Column
	numbers         []*decimal.Numbers
	where           *filter.Worker
	slots           []int             // the slots of the number columns
	vectors         []*expr.Vector    // by derived column; nil for those that are computed record by record
	carriageReturns bool              // the text may contain carriage returns
	short           bool              // records are so short that one search for carriage returns per chunk pays
	every           records.Selection // all records; must not be narrowed in place
	sel             records.Selection
	value           []byte
	at              func(i uint16) int64 // the offset of a record in the input

	bare     bool          // only the number of records is asked for
	ordinary int           // chunks that are processed record by record before regular ones are looked for again
	heads    *fields.Heads // finds the fields of long records; nil if the wanted ones are not all at their beginnings
	listed   int           // chunks whose separators are all listed before heads is tried again
	inPlace  bool          // nothing is ever added to text, or seldom, so it may be the block's own memory
	borrowed bool          // text is the block's own memory
	exposed  bool          // records are being counted whose text may fault
	touched  byte
	prefetch prefetcher // of the bytes after a text in place
}

const textBytes = records.SlackBytes + fields.ChunkBytes + fields.HeadSlack

func (b *batch) init(r *Run) {
	b.memory = make([]byte, textBytes)
	b.text = b.memory[records.SlackBytes:records.SlackBytes]
	b.bare = r.recordsOnly()
	b.inPlace = (r.Dialect.Quote == 0 || b.bare) && len(r.derived.all) == 0
	for _, a := range r.query.groups {
		b.inPlace = b.inPlace && len(a.keys) < 2
	}
	if r.Dialect.Quote == 0 && !r.Dialect.JSON && r.printed == nil && fields.HeadFields(r.inFile(), r.first.Fields) {
		b.heads = fields.NewHeads()
	}
	for range r.wanted {
		b.columns = append(b.columns, make(records.Column, records.Max))
	}
	for i, column := range r.query.numbers {
		b.slots = append(b.slots, r.slot(column))
		b.numbers = append(b.numbers, &decimal.Numbers{Scale: r.scales[i], Fixed: true})
	}
	for _, d := range r.query.derived.all {
		b.vectors = append(b.vectors, d.Vector())
	}
	b.every = make(records.Selection, records.Max)
	for i := range b.every {
		b.every[i] = uint16(i)
	}
	b.sel = make(records.Selection, 0, records.Max)
	b.ragged = make([]uint16, 0, records.Max)
}

// add appends a value to the text, and returns its span.
func (b *batch) add(value []byte) records.Span {
	b.reserve(len(value))
	off := len(b.text)
	b.text = append(b.text, value...)
	return records.Span{Off: uint32(off), Len: uint32(len(value))}
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
		w.touch(b.Data[pos:min(len(b.Data), last+fields.ChunkBytes)]) // and what is requested next
		w.text = b.Data[pos:last]
		w.exposed, w.borrowed = true, true
		w.prefetch.begin(b.Data[last:])
	} else {
		w.prefetch.begin(nil)
		w.text = w.memory[records.SlackBytes:][:n]
		copy(w.text, b.Data[pos:])
		if final && n == end-pos && w.text[n-1] != '\n' {
			w.text = append(w.text, '\n')
		}
	}
	w.clock.lap(stageCopy)
	w.prefetch.fetch()
	w.own = n
	found, begin := w.regularRecords()
	if found == 0 {
		found, begin = w.longRecords(off)
	}
	if found == 0 {
		found, begin = w.eachRecord(off)
	}
	w.exposed, w.borrowed = false, false
	w.short = found > shortRecords
	if begin > 0 && off+int64(begin) > w.block.end && w.only == nil {
		w.block.feeds-- // the last line feed is in the next block, or was added
	}
	used := min(int(begin), n)
	if w.block.failed {
		used = int(w.block.failedAt - off)
	}
	w.seen(int64(used))
	return used
}

// recordsOnly reports whether the only question is how many records there are. Then no field of a
// regular record is looked at. A single column is left out: there, empty lines may be records.
func (r *Run) recordsOnly() bool {
	return len(r.wanted)+len(r.query.groups)+len(r.nth) == 0 && r.filter == nil && r.first.Fields > 1
}

// ordinaryChunks is how many chunks are processed record by record after one that was not regular:
// more of that kind are likely, and finding that out takes a third of the time.
var ordinaryChunks = threshold.New("table: chunks processed record by record after an irregular one", 16, 1)

// regularRecords counts the records of the chunk by the masks of its separators, if their number is
// all that is asked for and they all have as many fields as the first record of the input. It returns
// the number of records, 0 if that was not possible, and the place after them.
func (w *worker) regularRecords() (n int, end uint32) {
	if !w.bare {
		return 0, 0
	}
	if w.ordinary > 0 {
		w.ordinary--
		return 0, 0
	}
	w.chunk.MasksOnly = true
	w.variant.Func(w.chunk, w.text, w.Dialect.fields(), fields.AtField)
	w.chunk.MasksOnly = false
	w.prefetch.fetch()
	n, end, ok := w.chunk.Regular(w.first.Fields)
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
	size := len(w.text)
	next := w.chunk.Ends
	if w.json != nil {
		w.json.Begin(w.text)
		w.chunk.SetFeeds(size, w.json.Feeds)
		next = w.chunk.FeedsFrom
	} else {
		w.variant.Func(w.chunk, w.text, w.Dialect.fields(), fields.AtField)
		w.chunk.Expect(w.first.Fields)
	}
	w.prefetch.fetch()
	w.carriageReturns = w.json == nil && (!w.short || bytes.IndexByte(w.text, '\r') >= 0)
	ends := w.ends[:batchRecords.Get()]
	for !w.block.failed && !w.block.enough {
		k := next(begin, ends[:w.quota(len(ends))])
		if k == 0 {
			break
		}
		w.text = w.text[:size]
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
	if w.json != nil {
		w.processLines(begin, n, off)
		return
	}
	ends, stops := w.ends[:n], w.stops[:n]
	if w.carriageReturns {
		fields.Stops(w.text, begin, ends, stops)
	} else {
		stops = ends
	}
	if w.only == nil {
		w.block.feeds += int64(n)
	}
	sel := w.every[:n]
	w.prefetch.fetch()
	w.ragged = w.chunk.Ragged(begin, ends, w.first.Fields, w.ragged[:0])
	_, badQuotes := w.chunk.FirstBad(begin, ends[n-1])
	if len(w.ragged) > 0 || badQuotes {
		sel = w.dropMalformed(begin, stops, off, badQuotes)
	}
	wanted, columns := w.inFile(), w.columns
	if w.printed != nil {
		w.bounds = bounds{begin: begin, ends: ends, stops: stops, regular: len(w.ragged) == 0 && !badQuotes}
		w.bounds.plain = w.bounds.regular && w.isPlain(w.text[begin:ends[n-1]])
		if w.bounds.plain && len(w.query.derived.all) == 0 {
			wanted, columns = w.lean, w.leanColumns
		}
	}
	w.chunk.Locate(wanted, begin, ends, stops, columns)
	w.prefetch.fetch()
	w.clock.lap(stageFields)
	w.answer(sel, func(i uint16) int64 {
		if i == 0 {
			return off + int64(begin)
		}
		return off + int64(ends[i-1]) + 1
	})
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
		record, end := w.text[from:stops[i]], w.ends[i]
		at, bad := uint32(0), false
		if badQuotes {
			at, bad = w.chunk.FirstBad(from, end)
		}
		switch {
		case isRagged && len(record) == 0:
			keep = false
			w.emptyLine()
		case bad:
			keep = w.malformedInChunk(off, from, end, misplaced(off+int64(at)))
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
	lines := int64(bytes.Count(w.text[from:end+1], []byte{'\n'}))
	return w.malformed(off+int64(from), int64(min(int(end)+1, w.own)-int(from)), lines, reason)
}

// answer adds the selected records of the batch to the answers. Their fields have been located.
// at returns the offset of a record in the input.
func (w *worker) answer(sel records.Selection, at func(i uint16) int64) {
	if w.Dialect.Quote != 0 && !w.bounds.plain {
		for _, column := range w.columns[:len(w.inFile())] {
			w.unquote(column, sel)
		}
	}
	w.derive(0, w.query.derived.filtered, sel)
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
	if w.printed != nil {
		w.format(sel)
		return
	}
	w.derive(w.query.derived.filtered, len(w.query.derived.all), sel)
	for i, n := range w.numbers {
		w.prefetch.fetch()
		w.parseNumbers(i, sel)
		if !n.AllPlain {
			w.reviewNumbers(i, sel, at)
		} else if len(sel) > 0 {
			w.seenKinds[i] |= hasNumbers
		}
	}
	if len(w.numbers) > 0 {
		w.clock.lap(stageNumbers)
	}
	w.profile(sel)
	for i := range w.samplers {
		w.samplers[i].add(w, sel, at)
	}
	w.at = at
	for _, g := range w.groups {
		if err := g.add(w, sel); err != nil {
			w.fail(err)
			return
		}
	}
}

// column returns the fields of a column of the input.
func (w *worker) column(i int) records.Column { return w.columns[w.slot(i)] }

// unquote replaces the quoted fields of a column by their values.
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
		if len(w.value) == 0 { // a quote that is never closed; the field stays before it, as one in quotes
			column[i].Len = 0
			continue
		}
		column[i] = w.add(w.value)
	}
}

// reviewNumbers counts and marks the fields of a column that are not numbers, and notes whether
// any numbers are floats or large decimals.
func (w *worker) reviewNumbers(number int, sel records.Selection, at func(i uint16) int64) {
	n, column := w.numbers[number], w.columns[w.slots[number]]
	for _, i := range sel {
		switch n.Kinds[i] {
		case decimal.Plain:
			w.seenKinds[number] |= hasNumbers
		case decimal.Bad:
			w.bad[number]++
			field := column[i].Of(w.text)
			w.seenKinds[number] |= w.kindOf(number, field)
			if !w.marked(number) {
				w.mark(mark{off: at(i), column: number, reason: badNumber(w.query.name(w.query.numbers[number]), field)})
			}
		case decimal.Irregular:
			w.seenKinds[number] |= hasNumbers
			if !w.floats[number] || !w.large[number] {
				_, kind := decimal.Parse(column[i].Of(w.text))
				w.floats[number] = w.floats[number] || kind == decimal.Irregular
				w.large[number] = w.large[number] || kind == decimal.Plain
			}
		}
	}
}

// scalesIn returns the scale of each number column: how many digits after the point its integers
// hold. It is as large as the size of the numbers at the start of the input allows. The scale
// only affects speed: numbers that do not fit take the slow path.
func (r *Run) scalesIn(head []byte) []int {
	scales := make([]int, len(r.numbers))
	for i := range scales {
		scales[i] = decimal.ScaleMax
	}
	head = head[min(r.first.Begin, int64(len(head))):]
	see := func(number int, value []byte) {
		whole := value
		if point := bytes.IndexByte(value, '.'); point >= 0 {
			whole = value[:point]
		}
		scales[number] = max(0, min(scales[number], roomDigits-len(bytes.TrimLeft(whole, "+-0"))))
	}
	if r.Dialect.JSON {
		r.eachNumber(head, see)
		return scales
	}
	for d := r.Dialect.fields(); len(head) > 0; {
		n, _ := r.Dialect.recordLen(head)
		d.Split(trimEnd(head[:n]), func(field, from, to int) bool {
			if i := slices.Index(r.numbers, field); i >= 0 {
				see(i, d.Unquote(nil, head[from:to]))
			}
			return true
		})
		head = head[n:]
	}
	return scales
}

// roomDigits is how many digits the numbers at the start may have at the chosen scale. It leaves
// room for numbers a thousand times as large.
const roomDigits = 15
