//go:build goexperiment.simd && (amd64 || arm64)

package fields

import (
	"simd/archsimd"
	"unsafe"
)

// masks are where in a word of text the bytes of four kinds lie, in quotes or not.
type masks struct{ delims, feeds, quotes, returns uint64 }

// carry is a State in bits: what a word leaves to the next one.
type carry struct {
	inside   uint64 // all ones within quotes
	fresh    uint64 // one behind a separator; the others alike
	closed   uint64
	returned uint64
}

func (s State) carry() (k carry) {
	switch s {
	case InQuotes:
		k.inside = 1<<64 - 1
	case AtField:
		k.fresh = 1
	case AfterQuote:
		k.closed = 1
	case AfterReturn:
		k.returned = 1
	}
	return k
}

func (k carry) state() State {
	switch {
	case k.inside != 0:
		return InQuotes
	case k.fresh != 0:
		return AtField
	case k.closed != 0:
		return AfterQuote
	case k.returned != 0:
		return AfterReturn
	}
	return InField
}

// word sets the word of c that begins at the byte at and has n bytes of the text; masks may
// have bits behind them. It says for a word what markPlain says for a byte.
func (c *Chunk) word(at, n int, m masks, k carry) carry {
	word, top := at/64, uint(n-1)%64
	valid := uint64(2)<<top - 1
	delims, feeds, quotes, bad := m.delims&valid, m.feeds&valid, m.quotes&valid, uint64(0)
	separators, before := delims|feeds, k
	if quotes|k.inside|k.closed|k.returned != 0 {
		within := k.inside ^ prefixXor(quotes)
		k.inside = -(within >> top & 1)
		delims, feeds, separators = delims&^within, feeds&^within, separators&^within
		opening, closing := quotes&within, quotes&^within
		behind := closing<<1 | k.closed
		strange := behind &^ (separators | quotes) // what should not follow a closing quote
		returned := strange & m.returns
		bad = opening&^(separators<<1|k.fresh|behind) | strange&^returned | (returned<<1|k.returned)&^feeds
		bad &= valid
		k.closed, k.returned = closing>>top&1, returned>>top&1
		if bad != 0 {
			var odd oddWord
			odd, k = m.odd(n, before)
			delims, feeds, separators, bad = odd.delims, odd.feeds, odd.delims|odd.feeds, odd.bad
			c.bad = true
		}
	}
	k.fresh = separators >> top & 1
	c.Delims[word], c.Feeds[word], c.Bad[word] = delims, feeds, bad

	c.Before[word+1] = c.Before[word] + uint32(c.list(at, separators))
	return k
}

// add adds the byte at i, which is of a kind.
func (m *masks) add(i int, k kind) {
	bit := uint64(1) << i
	switch k {
	case separator:
		m.delims |= bit
	case feed:
		m.feeds |= bit
	case quote:
		m.quotes |= bit
	case carriage:
		m.returns |= bit
	}
}

// oddWord is what a word is made of in which a byte is out of place.
type oddWord struct{ delims, feeds, bad uint64 }

// odd goes through the first n bytes of a word one by one, behind k: where a byte is out of
// place, counting quotes does not tell any more which of them open a field.
//
//go:noinline
func (m masks) odd(n int, k carry) (w oddWord, behind carry) {
	s := k.state()
	for i := range n {
		bit, bad := uint64(1)<<i, false
		kind := other
		switch {
		case m.quotes&bit != 0:
			kind = quote
		case m.feeds&bit != 0:
			kind = feed
		case m.delims&bit != 0:
			kind = separator
		case m.returns&bit != 0:
			kind = carriage
		}
		if s, bad = s.behind(kind); bad {
			w.bad |= bit
		}
		switch {
		case s != AtField:
		case kind == feed:
			w.feeds |= bit
		default:
			w.delims |= bit
		}
	}
	return w, s.carry()
}

// list appends the places of separators, in the word of the byte at, to the list, and
// returns how many they are. For each eight bytes it writes eight places, the first of
// which count. There is always room: the list is no longer than the text before.
func (c *Chunk) list(at int, separators uint64) int {
	start := unsafe.Pointer(&c.places[c.Before[at/64]%ChunkBytes])
	low, step := archsimd.BroadcastUint16x8(uint16(at)), archsimd.BroadcastUint16x8(8)
	p := start
	for range 4 {
		first, second := uint8(separators), uint8(separators>>8)
		separators >>= 16
		archsimd.LoadUint16x8Array(&members[first]).Add(low).StoreArray((*[8]uint16)(p))
		p, low = unsafe.Add(p, sizes[first]), low.Add(step)
		archsimd.LoadUint16x8Array(&members[second]).Add(low).StoreArray((*[8]uint16)(p))
		p, low = unsafe.Add(p, sizes[second]), low.Add(step)
	}
	return int(uintptr(p)-uintptr(start)) / 2
}

// members are the numbers of the bits that a byte has, and sizes the bytes that they take.
var members, sizes = func() (members [256][8]uint16, sizes [256]uint8) {
	for some := range members {
		for bit := range 8 {
			if some>>bit&1 == 1 {
				members[some][sizes[some]/2] = uint16(bit)
				sizes[some] += 2
			}
		}
	}
	return members, sizes
}()

// prefixXor returns at each bit the exclusive or of all bits up to it: after the shift by
// 1<<i, a bit stands for the 2<<i places that end there.
func prefixXor(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}
