package fields

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// reset prepares c for a text of n bytes: the masks behind it are zero, and Bad is.
func (c *Chunk) reset(n int) {
	c.words = (n + 63) / 64
	c.known = stretch{}
	c.wide = false
	clear(c.Delims[c.words:])
	clear(c.Feeds[c.words:])
	if c.bad {
		clear(c.Bad[:])
		c.bad = false
	}
}

// rank returns how many separators lie before the place at.
func (c *Chunk) rank(at uint32) int {
	word := at / 64
	below := uint64(1)<<(at%64) - 1
	return int(c.Before[word]) + bits.OnesCount64((c.Delims[word]|c.Feeds[word])&below)
}

// listed returns the list of places. What lies behind it is left over.
func (c *Chunk) listed() []uint16 { return c.places[:c.Before[c.words]] }

// Ragged appends to odd, ascending, the numbers of the records that have not n fields.
// Record i of the batch lies in [ends[i-1]+1, ends[i]), and the first begins at begin;
// there are at most records.Max.
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

// regular returns how many of the first records, of which the first separator is number
// first, have n fields each: those that end at every n-th separator. What it found last
// it remembers, as Locate asks for what Ragged has asked for.
func (c *Chunk) regular(first, n int, ends []uint32) int {
	if len(ends) == 0 {
		return 0
	}
	asked := stretch{first, n, len(ends), ends[len(ends)-1]}
	if c.known == asked {
		return len(ends)
	}
	places, at := c.listed(), uint(first+n-1)
	for i, end := range ends {
		if at >= uint(len(places)) || uint32(places[at]) != end {
			return i
		}
		at += uint(n)
	}
	c.known = asked
	return len(ends)
}

// stretch is a number of records, up to the line feed at end, that have n fields each. The
// number of their first separator is first.
type stretch struct {
	first, n, records int
	end               uint32
}

// Locate sets columns[k][i] to where field wanted[k] of record i lies; wanted counts from
// zero and ascends. The records are those of Ragged, and stops[i] is where the text of
// record i ends: ends[i], or one before where a carriage return precedes it. Where none
// does, ends may be passed for stops, which is faster. A field that a record does not have
// is the empty span at its stop. Quotes around a field belong to it.
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

// missing is for records without the field.
func missing(stops []uint32, column records.Column) {
	stops = stops[:len(column)]
	for i := range column {
		column[i] = records.Span{Off: stops[i]}
	}
}

// betweens is for neighbours that have n fields each, where the wanted one lies between two
// separators: number at is the one behind the first record's. The loop is a function of its
// own because in Locate there are not registers enough for it.
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

// lasts is for the last field of neighbours that have n fields each, which ends at the stop
// and not at a separator.
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

// FirstBad returns the first place in [from, to) where a byte breaks the rules of quoting,
// and whether there is one.
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
