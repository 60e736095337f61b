package inflate

import (
	"encoding/binary"
	"unsafe"
)

// lookup returns the entry of the next code once all its bits are there. Where bits are missing it
// looks as if they were zeros, and finds an entry whose code is no longer than the right one, because
// longer codes are higher numbers. So no byte is loaded that the code does not need.
func (d *Decoder) lookup(table []entry, root uint) (e entry, ok bool) {
	for {
		e = table[d.bits&(1<<root-1)]
		if e&subtable == subtable {
			e = table[e.value()+int(d.bits>>root&(1<<e.code()-1))]
		}
		if e.code() <= d.bitsLen {
			return e, true
		}
		if !d.need(d.bitsLen + 1) {
			return e, false
		}
	}
}

// symbol decodes a literal or a part of a match: its length, its distance, or its bytes. It returns
// false if input or room is missing. This is the plain twin of the fast loops, which do as many
// symbols as they can.
func (d *Decoder) symbol() bool {
	switch {
	case d.distance > 0:
		return d.copyMatch()
	case d.length > 0:
		return d.readDistance()
	}
	e, ok := d.lookup(d.literals[:], literalRoot)
	switch {
	case !ok:
		return false
	case e&literals != 0:
		if d.n == len(d.dst) {
			return false
		}
		d.take(e.code())
		d.put([]byte{byte(e.value())})
		return true
	case e&special == 0:
		if !d.need(e.consumes()) {
			return false
		}
		d.take(e.code())
		d.length = (e.value() + d.take(e.consumes()-e.code())) << d.wide
		return true
	case e == noCode || e.value() != endOfBlock.value():
		return d.fail()
	}
	d.take(e.code())
	return d.endBlock()
}

// readDistance reads the distance of a match.
func (d *Decoder) readDistance() bool {
	e, ok := d.lookup(d.distances[:], distanceRoot)
	switch {
	case !ok:
		return false
	case e&special != 0:
		return d.fail()
	case !d.need(e.consumes()):
		return false
	}
	d.take(e.code())
	d.distance = (e.value() + d.take(e.consumes()-e.code())) << d.wide
	return true
}

// put writes literals, for which there is room.
func (d *Decoder) put(all []byte) {
	if d.wide == 0 {
		d.n += copy(d.dst[d.n:], all)
		return
	}
	for _, b := range all {
		binary.NativeEndian.PutUint16(d.dst[d.n:], uint16(b))
		d.n += 2
	}
}

// copyMatch copies a match byte by byte: it may repeat bytes that it has just written.
func (d *Decoder) copyMatch() bool {
	if d.distance > d.n+d.past.len {
		return d.fail()
	}
	for ; d.length > 0; d.length-- {
		if d.n == len(d.dst) {
			return false
		}
		if d.distance <= d.n {
			d.dst[d.n] = d.dst[d.n-d.distance]
		} else {
			d.dst[d.n] = d.past.back(d.distance - d.n)
		}
		d.n++
	}
	d.distance = 0
	return true
}

// span is what a fast loop works on. It begins with less than 8 bits that are loaded.
type span struct {
	in     unsafe.Pointer
	at     int // the next byte of in
	inLast int // inputSlack bytes may be read from here

	out     unsafe.Pointer
	n       int // the next byte of out
	outLast int // outputSlack bytes may be written from here

	before    unsafe.Pointer // the end of the output before out; overrun bytes behind it may be read
	beforeLen int            // how much of it there is

	literals  *[literalEntries]entry
	distances *[distanceEntries]entry
	near      *near

	bits    uint64 // input that is loaded and not used yet, lowest bit first; zeros above
	bitsLen uint   // less than 8, unless a code waits for more input

	length   int // of a match whose distance is not known yet, or that has bytes to copy; 0: none
	distance int // of that match; 0: not known yet
}

// Func decodes symbols while at is at most inLast and n at most outLast. It stops before that at
// what it leaves to the plain twin: the end of the block, a code that does not exist, a distance of
// that kind, and a match that begins before out and ends in it, or too far back.
type Func = func(s *span)

// The loops copy whole vectors, so they read up to overrun bytes behind the end of a source, and
// write as many behind a match.
const (
	inputSlack  = 16
	overrun     = 32
	outputSlack = 8 + matchMax + overrun
)

// symbolSlack is outputSlack for symbols.
const symbolSlack = 2*(8+matchMax) + overrun

// loopPlain is the fast loop in portable Go, for output of bytes or of symbols. The idea is that of
// libdeflate and igzip: the bits are refilled with one load, without a branch, and the next entry is
// loaded before the bytes of a match are copied.
func loopPlain[T byte | uint16](s *span) {
	const literalMask, distanceMask = 1<<literalRoot - 1, 1<<distanceRoot - 1
	size := int(unsafe.Sizeof(T(0)))
	src, dst := s.in, s.out
	at, n, bits, left := s.at, s.n, s.bits, s.bitsLen
	codes, distances := s.literals, s.distances
decoding:
	for at <= s.inLast && n <= s.outLast {
		bits |= load64(src, at) << (left & 63)
		at += int((63 - left) >> 3)
		left |= 56
		e := codes[bits&literalMask]
		// Two entries of literals take 22 bits at most.
		if e&literals != 0 {
			bits >>= e & 63
			left -= e.consumes()
			storeLiterals[T](dst, n, e)
			n += int(e>>12&3) * size
			e = codes[bits&literalMask]
			if e&literals != 0 {
				bits >>= e & 63
				left -= e.consumes()
				storeLiterals[T](dst, n, e)
				n += int(e>>12&3) * size
				e = codes[bits&literalMask]
			}
		}
		if e&special != 0 {
			if e&subtable != subtable {
				break
			}
			e = codes[e.value()+int(bits>>literalRoot&(1<<e.code()-1))]
			if e&special != 0 {
				break
			}
		}
		if e&literals != 0 {
			bits >>= e & 63
			left -= e.consumes()
			storeLiterals[T](dst, n, e)
			n += int(e>>12&3) * size
			continue
		}
		length := (e.value() + int(bits&(1<<(e&63)-1)>>(e>>8&63))) * size
		bits >>= e & 63
		left -= e.consumes()

		bits |= load64(src, at) << (left & 63)
		at += int((63 - left) >> 3)
		left |= 56
		e = distances[bits&distanceMask]
		if e&special != 0 {
			if e&subtable == subtable {
				e = distances[e.value()+int(bits>>distanceRoot&(1<<e.code()-1))]
			}
			if e&special != 0 {
				s.length = length
				break
			}
		}
		distance := (e.value() + int(bits&(1<<(e&63)-1)>>(e>>8&63))) * size
		bits >>= e & 63
		left -= e.consumes()

		var from unsafe.Pointer
		switch back := distance - n; {
		case distance < 8 && back <= 0:
			n = repeat(dst, n, distance, length)
			continue
		case back <= 0:
			from = unsafe.Add(dst, -back)
		case back > s.beforeLen || back < length:
			s.length, s.distance = length, distance
			break decoding
		default:
			from = unsafe.Add(s.before, -back)
		}
		for i := 0; i < length; i += 8 {
			store64(dst, n+i, load64(from, i))
		}
		n += length
	}
	// What was loaded and is not used goes back.
	s.at, s.n, s.bitsLen = at-int(left>>3), n, left&7
	s.bits = bits & (1<<s.bitsLen - 1)
}

// repeat copies a match that lies less than 8 bytes back, so that its bytes repeat. It returns the
// end of the match.
func repeat(dst unsafe.Pointer, n, distance, length int) int {
	for i := n; i < n+length; i++ {
		*(*byte)(unsafe.Add(dst, i)) = *(*byte)(unsafe.Add(dst, i-distance))
	}
	return n + length
}

// load64 loads a word in the input's order.
func load64(p unsafe.Pointer, at int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, at))[:])
}

func store64(p unsafe.Pointer, at int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, at))[:], v)
}

// storeLiterals stores two literals of an entry, or one and something behind it.
func storeLiterals[T byte | uint16](p unsafe.Pointer, at int, e entry) {
	if unsafe.Sizeof(T(0)) == 1 {
		binary.LittleEndian.PutUint16((*[2]byte)(unsafe.Add(p, at))[:], uint16(e>>16))
		return
	}
	binary.NativeEndian.PutUint16((*[2]byte)(unsafe.Add(p, at))[:], uint16(e>>16&0xff))
	binary.NativeEndian.PutUint16((*[2]byte)(unsafe.Add(p, at+2))[:], uint16(e>>24))
}
