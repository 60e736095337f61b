package inflate

import (
	"encoding/binary"
	"slices"
	"sync"
	"unsafe"
)

// Output may be decompressed from the middle of a stream, before the output that comes before it is
// known: into symbols of 16 bits, each a byte or a marker. A marker stands for a byte at a place in the
// 32 KiB before, which a match has copied. When these are known, markers are replaced. The idea is that
// of pugz (Kerbiriou and Chikhi, 2019).

// Symbol is a byte, or from 256 on a marker: its place in the window, plus 256.
type Symbol uint16

// WindowBytes is as far as a match may reach back.
const WindowBytes = windowBytes

const firstMarker = 256

// Window is the output before some place. A symbol is the index of its byte: the first 256 are the
// bytes themselves. There is a byte for every index that a symbol could be, so that none needs a check.
type Window [1 << 16]byte

// NewWindow returns a window of the given bytes, which are WindowBytes.
func NewWindow(output []byte) *Window {
	w := new(Window)
	for i := range firstMarker {
		w[i] = byte(i)
	}
	copy(w[firstMarker:], output[:windowBytes])
	return w
}

func (w *Window) output() []byte { return w[firstMarker : firstMarker+windowBytes] }

// Replace writes the bytes of symbols to dst, which may be the memory of the symbols. It is as long as
// there are symbols.
func (w *Window) Replace(dst []byte, symbols []Symbol) {
	// One load for four symbols, and one store.
	for ; len(symbols) >= 4 && len(dst) >= 4; symbols, dst = symbols[4:], dst[4:] {
		s := *(*uint64)(unsafe.Pointer(unsafe.SliceData(symbols)))
		a, b, c, d := w[s&0xffff], w[s>>16&0xffff], w[s>>32&0xffff], w[s>>48]
		binary.LittleEndian.PutUint32(dst, uint32(a)|uint32(b)<<8|uint32(c)<<16|uint32(d)<<24)
	}
	for i, s := range symbols {
		dst[i] = w[s]
	}
}

// ResetAt begins within a stream, at the given bit of the first byte of the input, where a block begins;
// stored means that its length is next. The window is the output before; nil means that it is not known:
// then Symbols must be called instead of Decode.
func (d *Decoder) ResetAt(bit uint8, stored bool, w *Window) {
	d.Reset()
	d.skip, d.step = uint(bit), atBit
	if stored {
		d.step = atStoredLen
	}
	if w != nil {
		d.past.add(w.output())
		return
	}
	d.write(1)
	var markers [2 * windowBytes]byte
	for i := range windowBytes {
		binary.NativeEndian.PutUint16(markers[2*i:], uint16(firstMarker+i))
	}
	d.past.add(markers[:])
}

// skipBits drops the bits of the first byte that belong to the block before.
func (d *Decoder) skipBits() bool {
	if !d.need(d.skip) {
		return false
	}
	d.take(d.skip)
	d.step = atBlock
	return true
}

// Symbols is Decode into symbols.
func (d *Decoder) Symbols(dst []Symbol, src []byte) (n, used int, err error) {
	n, used, err = d.Decode(asBytes(dst), src)
	return n / 2, used, err
}

// SymbolBytes is the size of a symbol.
const SymbolBytes = 2

// NewMemory returns memory for bytes or symbols, with nothing in it.
func NewMemory(bytes int) []byte {
	return asBytes(make([]Symbol, (bytes+SymbolBytes-1)/SymbolBytes))[:0:bytes]
}

// AsSymbols returns the symbols in memory from NewMemory.
func AsSymbols(b []byte) []Symbol {
	return unsafe.Slice((*Symbol)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/SymbolBytes)
}

func asBytes(s []Symbol) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 2*len(s))
}

// Marked reports whether output is decoded into symbols.
func (d *Decoder) Marked() bool { return d.wide > 0 }

// Unmark goes on with bytes, if w says what the markers are, or if w is nil and the last output has
// none. Decode must be called from then on. It reports whether it did.
func (d *Decoder) Unmark(w *Window) bool {
	last := d.tail()
	if w == nil {
		for i := len(last) - 1; i >= 0; i-- {
			if last[i] >= firstMarker {
				return false
			}
		}
		w = noMarkers()
	}
	d.write(0)
	w.Replace(d.past.buf, last)
	d.past.end, d.past.len = windowBytes, windowBytes
	d.length, d.distance = d.length/2, d.distance/2
	return true
}

var noMarkers = sync.OnceValue(func() *Window { return NewWindow(make([]byte, windowBytes)) })

// tail returns the last output, while it is symbols. It is valid until the next call of Symbols.
func (d *Decoder) tail() []Symbol {
	last := d.past.buf[d.past.end-2*windowBytes:]
	return unsafe.Slice((*Symbol)(unsafe.Pointer(unsafe.SliceData(last))), windowBytes)
}

// Full reports whether there is as much output as a match may reach back.
func (d *Decoder) Full() bool { return d.past.len == d.past.size }

// Window returns the last output, while it is bytes and Full is true.
func (d *Decoder) Window() *Window { return NewWindow(d.past.buf[d.past.end-windowBytes:]) }

// Tail returns a copy of the last output, while it is symbols. Once they are replaced, they make the window
// at this place.
func (d *Decoder) Tail() []Symbol { return slices.Clone(d.tail()) }

// PauseAtBlocks lets Decode and Symbols return where a block begins that is not the first one of the call,
// and behind the first bits of a stored block, unless that is the last one.
func (d *Decoder) PauseAtBlocks() { d.pauses = true }

// Paused reports whether the last call returned because a block begins; and if so, how many bits of the
// last byte that it used belong to that block, and whether it is a stored one whose length is next.
func (d *Decoder) Paused() (ok bool, bits uint8, stored bool) {
	return d.paused, uint8(d.bitsLen), d.step == atStoredLen
}
