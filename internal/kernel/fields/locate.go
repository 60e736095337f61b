package fields

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/records"
)

// reset prepares c for a text of n bytes: the masks behind it are zero, and Bad is.
func (c *Chunk) reset(n int) {
	c.words = (n + 63) / 64
	clear(c.Delims[c.words:])
	clear(c.Feeds[c.words:])
	if c.bad {
		clear(c.Bad[:])
		c.bad = false
	}
}

// Ends sets ends to the places of the line feeds outside quotes at or behind from,
// ascending, until it is full, and returns how many there are. What ends holds behind
// these does not matter any more.
func (c *Chunk) Ends(from uint32, ends []uint32) int {
	n := 0
	word := int(from / 64)
	if word >= c.words {
		return 0
	}
	feeds := c.Feeds[word] &^ (1<<(from%64) - 1)
	for {
		base := uint32(word) * 64
		for ; feeds != 0; feeds &= feeds - 1 {
			if n == len(ends) {
				return n
			}
			ends[n] = base + uint32(bits.TrailingZeros64(feeds))
			n++
		}
		if word++; word >= c.words {
			return n
		}
		feeds = c.Feeds[word]
	}
}

// rank returns how many separators lie before the place at.
func (c *Chunk) rank(at uint32) int {
	word := at / 64 % chunkWords
	below := uint64(1)<<(at%64) - 1
	return int(c.Before[word]) + bits.OnesCount64((c.Delims[word]|c.Feeds[word])&below)
}

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
// first, have n fields each: those that end at every n-th separator.
func (c *Chunk) regular(first, n int, ends []uint32) int {
	at := uint(first + n - 1)
	for i, end := range ends {
		if at >= ChunkBytes || uint32(c.places[at]) != end {
			return i
		}
		at += uint(n)
	}
	return len(ends)
}

// Locate sets columns[k][i] to where field wanted[k] of record i lies; wanted counts from
// zero and ascends. The records are those of Ragged, and stops[i] is where the text of
// record i ends: ends[i], or one before where a carriage return precedes it. A field that
// a record does not have is the empty span at its stop. Quotes around a field belong to it.
func (c *Chunk) Locate(wanted []int, begin uint32, ends, stops []uint32, columns []records.Column) {
	stops = stops[:len(ends)]
	first := c.rank(begin)
	for i := 0; i < len(ends); {
		next := c.rank(ends[i]) + 1
		n := next - first
		run := 1 + c.regular(next, n, ends[i+1:])
		for k, field := range wanted {
			column := columns[k][i:][:run]
			c.column(field, n, first, begin, ends[i:][:run], stops[i:][:run], column)
		}
		i += run
		first += run * n
		begin = ends[i-1] + 1
	}
}

// column locates one field in neighbouring records that have n fields each.
func (c *Chunk) column(field, n, first int, begin uint32, ends, stops []uint32, column records.Column) {
	if field >= n {
		for i, stop := range stops {
			column[i] = records.Span{Off: stop}
		}
		return
	}
	at := uint(first + field)
	for i, stop := range stops {
		from, to := begin, stop
		if field > 0 {
			from = uint32(c.places[(at-1)%ChunkBytes]) + 1
		}
		if field < n-1 {
			to = uint32(c.places[at%ChunkBytes])
		}
		column[i] = records.Span{Off: from, Len: to - from}
		begin = ends[i] + 1
		at += uint(n)
	}
}

// Stops sets stops[i] to where the text of record i ends: before the carriage return if
// one precedes the line feed at ends[i].
func Stops(text []byte, begin uint32, ends, stops []uint32) {
	for i, end := range ends {
		stops[i] = end
		if end > begin && text[end-1] == '\r' {
			stops[i]--
		}
		begin = end + 1
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
