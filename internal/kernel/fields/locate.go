package fields

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// reset prepares c for a text of n bytes: the masks after it are zero, and Bad is zero.
func (c *Chunk) reset(n int) {
	c.words = (n + 63) / 64
	c.known, c.fields = stretch{}, 0
	c.wide, c.sequence = false, nil
	clear(c.Delims[c.words:])
	clear(c.Feeds[c.words:])
	if c.bad {
		clear(c.Bad[:])
		c.bad = false
	}
}

// rank returns how many separators precede the place at.
func (c *Chunk) rank(at uint32) int {
	word := at / 64
	below := uint64(1)<<(at%64) - 1
	return int(c.Before[word]) + bits.OnesCount64((c.Delims[word]|c.Feeds[word])&below)
}

// listed returns the list of places. What follows it in c.places is left over from other texts.
func (c *Chunk) listed() []uint16 { return c.places[:c.Before[c.words]] }

// Ragged appends to odd, in ascending order, the indexes of the records that do not have n fields.
// Record i of the batch lies in [ends[i-1]+1, ends[i]), and the first begins at begin; there are at
// most records.Max.
func (c *Chunk) Ragged(begin uint32, ends []uint32, n int, odd []uint16) []uint16 {
	first := c.rank(begin)
	for i := 0; i < len(ends); {
		i += c.regular(first, n, ends[i:])
		if i == len(ends) {
			break
		}
		odd = append(odd, uint16(i))
		first = c.rank(ends[i]) + 1
		i++
	}
	return odd
}

// regular returns how many records, from the first on, have n fields each: those that end at every
// n-th separator. first is the rank of the first record's first separator. It remembers its last
// result, because Locate asks what Ragged has run before.
func (c *Chunk) regular(first, n int, ends []uint32) int {
	if len(ends) == 0 {
		return 0
	}
	run := stretch{first, n, len(ends), ends[len(ends)-1]}
	if c.known == run {
		return len(ends)
	}
	places, at := c.listed(), uint(first+n-1)
	for i, end := range ends {
		if at >= uint(len(places)) || uint32(places[at]) != end {
			return i
		}
		at += uint(n)
	}
	c.known = run
	return len(ends)
}

// stretch is a run of records, up to the line feed at end, that have n fields each. first is the
// rank of their first separator.
type stretch struct {
	first, n, records int
	end               uint32
}

// Locate sets columns[k][i] to the span of field wanted[k] of record i; wanted counts from zero and
// is ascending. The records are those of Ragged, and stops[i] is where the text of record i ends:
// ends[i], or one less if a carriage return precedes it. If none does, ends may be passed for
// stops, which is faster. A field that a record does not have is the empty span at its stop. The
// span of a quoted field includes its quotes.
func (c *Chunk) Locate(wanted []int, begin uint32, ends, stops []uint32, columns []records.Column) {
	stops = stops[:len(ends)]
	bare := len(ends) > 0 && &ends[0] == &stops[0]
	first := c.rank(begin)
	for i := 0; i < len(ends); {
		n := c.rank(ends[i]) + 1 - first
		run := max(1, c.regular(first, n, ends[i:]))
		for k, field := range wanted {
			column := columns[k][i:][:run]
			at := uint(first + field)
			switch {
			case field >= n:
				missing(stops[i:], column)
			case field == n-1 && !bare:
				c.lasts(at, n, begin, ends[i:], stops[i:], column)
			case field == 0:
				column[0] = records.Span{Off: begin, Len: uint32(c.places[at%ChunkBytes]) - begin}
				c.betweens(at+uint(n), n, column[1:])
			default:
				c.betweens(at, n, column)
			}
		}
		i += run
		first += run * n
		begin = ends[i-1] + 1
	}
}

// missing handles records that lack the field.
func missing(stops []uint32, column records.Column) {
	stops = stops[:len(column)]
	for i := range column {
		column[i] = records.Span{Off: stops[i]}
	}
}

// betweens handles consecutive records of n fields each whose wanted field lies between two
// separators; at is the index of the one after the first record's field. The loop is a function of
// its own because Locate has too few registers for it.
//
//go:noinline
func (c *Chunk) betweens(at uint, n int, column records.Column) {
	if n == 2 && c.wide {
		done := pairsAVX512(c, at, column)
		column = column[done:]
		at += uint(2 * done)
	}
	places := &c.places
	for i := range column {
		from := uint32(places[(at-1)%ChunkBytes]) + 1
		column[i] = records.Span{Off: from, Len: uint32(places[at%ChunkBytes]) - from}
		at += uint(n)
	}
}

// lasts handles the last field of consecutive records of n fields each, which ends at the stop and
// not at a separator.
func (c *Chunk) lasts(at uint, n int, begin uint32, ends, stops []uint32, column records.Column) {
	places := &c.places
	ends, stops = ends[:len(column)], stops[:len(column)]
	for i := range column {
		from := begin
		if n > 1 {
			from = uint32(places[(at-1)%ChunkBytes]) + 1
		}
		column[i] = records.Span{Off: from, Len: stops[i] - from}
		begin = ends[i] + 1
		at += uint(n)
	}
}

// FirstBad returns the first place in [from, to) where a byte violates the rules of quoting, and
// whether there is one.
func (c *Chunk) FirstBad(from, to uint32) (at uint32, ok bool) {
	if !c.bad || from >= to {
		return 0, false
	}
	bad := c.Bad[from/64] &^ (1<<(from%64) - 1)
	for word := from / 64; word*64 < to; {
		if bad != 0 {
			at = word*64 + uint32(bits.TrailingZeros64(bad))
			return at, at < to
		}
		word++
		bad = c.Bad[word]
	}
	return 0, false
}
