package group

import (
	"encoding/binary"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// cursor reads a partition, segment by segment: first what is in the file, then the chunks.
type cursor struct {
	from     *partitions
	extents  []extent
	off, end int64 // of the current extent
	chunks   []int
	tail     int // see partitions.tails
	buf      []byte
}

// segmentBytes is how much of a partition is read from the file at once.
var segmentBytes = threshold.New("group: bytes of a partition read at once", 64<<10, 1)

// next returns the next bytes, with slack after them, and none at the end.
func (c *cursor) next() ([]byte, error) {
	for c.off == c.end && len(c.extents) > 0 {
		c.off, c.end = c.extents[0].off, c.extents[0].end
		c.extents = c.extents[1:]
	}
	if c.off < c.end {
		if c.buf == nil {
			c.buf = make([]byte, segmentBytes.Get()+poolSlack)
		}
		b := c.buf[:min(int64(len(c.buf)-poolSlack), c.end-c.off)]
		err := c.from.file.ReadBack(b, c.off)
		c.off += int64(len(b))
		return b, err
	}
	if len(c.chunks) == 0 {
		return nil, nil
	}
	at, n := c.chunks[0], c.from.chunk
	if c.chunks = c.chunks[1:]; len(c.chunks) == 0 {
		n = c.from.used(c.tail)
	}
	return c.from.pool[at : at+n], nil
}

// gatherer puts the records of partitions into a table.
type gatherer struct {
	table *Table
	spans records.Column // where the keys of a batch lie
	sel   records.Selection
	ends  []uint32 // where the records of a batch end
	codes []uint8  // of their shapes
	ids   []uint32
	words []uint64
	carry []byte // the beginning of a record that continues in the next segment
	buf   []byte
}

func newGatherer(t *Table) *gatherer {
	g := &gatherer{table: t, spans: make(records.Column, records.Max), sel: make(records.Selection, records.Max),
		ends: make([]uint32, records.Max), codes: make([]uint8, records.Max),
		ids: make([]uint32, records.Max), words: make([]uint64, t.layout.Words)}
	for i := range g.sel {
		g.sel[i] = uint16(i)
	}
	return g
}

// cursor returns a cursor for a partition.
func (s *partitions) cursor(part int) cursor {
	p := &s.parts[part]
	return cursor{from: s, extents: p.extents, chunks: p.chunks, tail: s.tails[part]}
}

// gather merges the records of c, a partition of from, into the table, and returns how many there were.
func (g *gatherer) gather(from *Table, c cursor) (n int64, err error) {
	c.buf = g.buf
	shapes := &from.parts.shapes
	defer func() { g.buf = c.buf }()
	for {
		b, err := c.next()
		if err != nil || len(b) == 0 {
			return n, err
		}
		if len(g.carry) > 0 {
			if b = g.complete(shapes, b); b == nil {
				continue
			}
			carry := slices.Grow(g.carry, poolSlack)
			g.carry = nil
			m, _ := g.batch(shapes, carry)
			if err := g.merge(from, carry, m); err != nil {
				return n, err
			}
			n, g.carry = n+1, carry[:0]
		}
		for len(b) > 0 {
			m, size := g.batch(shapes, b)
			if m == 0 {
				g.carry = append(g.carry[:0], b...)
				break
			}
			if err := g.merge(from, b, m); err != nil {
				return n, err
			}
			n += int64(m)
			b = b[size:]
		}
	}
}

// complete moves the rest of the record in carry from b to it, and returns what is left of b; nil if the
// record does not end in b.
func (g *gatherer) complete(shapes *shapes, b []byte) []byte {
	for {
		need := 1
		if size, ok := shapes.recordSize(g.carry); ok {
			need = size - len(g.carry)
		}
		if need == 0 {
			return b[:len(b):cap(b)]
		}
		n := min(need, len(b))
		g.carry, b = append(g.carry, b[:n]...), b[n:]
		if n < need {
			return nil
		}
	}
}

// batch finds the keys of the whole records at the start of b, as many as a batch has. It returns their number
// and length.
func (g *gatherer) batch(shapes *shapes, b []byte) (n, size int) {
	for n < records.Max && len(b)-size >= 2 {
		if code := b[size]; code != noShape {
			keyBytes := int(b[size+1])
			end := size + 2 + keyBytes + int(shapes.sizes[code])
			if end > len(b) {
				break
			}
			g.spans[n] = records.Span{Off: uint32(size + 2), Len: uint32(keyBytes)}
			g.ends[n], g.codes[n] = uint32(end), code
			size = end
			n++
			continue
		}
		whole, ok := shapes.recordSize(b[size:])
		if !ok || whole > len(b)-size {
			break
		}
		head, _, _ := recordSize(b[size+1:])
		at, keyBytes := keyOf(b[size+1+head:])
		g.spans[n] = records.Span{Off: uint32(size + 1 + head + at), Len: uint32(keyBytes)}
		size += whole
		g.ends[n], g.codes[n] = uint32(size), noShape
		n++
	}
	return n, size
}

// merge merges the first n records of b, which were found by batch, into the table.
func (g *gatherer) merge(from *Table, b []byte, n int) error {
	t := g.table
	if err := t.Lookup(b, g.spans, g.sel[:n], g.ids); err != nil {
		return err
	}
	states, words, merge, shapes := t.States(), g.words, t.layout.Merge, &from.parts.shapes
	next := uint32((t.earlier + 1) * t.stride) // the first group that Lookup has made
	b = b[:cap(b)]
	for j, id := range g.ids[:n] {
		at := int(g.spans[j].Off + g.spans[j].Len)
		into := states[id:][:len(words)]
		isNew := id == next
		if isNew {
			next += uint32(t.stride)
		}
		if code := g.codes[j]; code != noShape {
			if shape := &shapes.all[code]; isNew {
				shape.take(b[at:], into)
			} else {
				shape.take(b[at:], words)
				merge(into, words)
			}
			continue
		}
		at += takeWords(b[at:], words)
		merge(into, words)
		if end := int(g.ends[j]); at < end {
			if err := g.mergeObjects(from, into, b[at:end]); err != nil {
				return err
			}
		}
	}
	if s := from.layout.Store; s != nil && from != t && s.Bytes() > 0 {
		s.Reset()
	}
	return nil
}

// mergeObjects merges the objects of a record, whose encoding is in b.
func (g *gatherer) mergeObjects(from *Table, into []uint64, b []byte) error {
	for _, w := range g.table.layout.Objects {
		n := binary.LittleEndian.Uint32(b)
		b = b[4:]
		if n == 0 {
			continue
		}
		handle, err := from.layout.Store.Decode(w, b[:n-1])
		if err != nil {
			return from.parts.file.Failed("read back what was spilled to", err)
		}
		if into[w], err = g.table.layout.Store.MergeFrom(w, into[w], from.layout.Store, handle); err != nil {
			return err
		}
		b = b[n-1:]
	}
	return nil
}
