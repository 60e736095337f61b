// Package inflate decompresses deflate data (RFC 1951), the content of gzip members and of most
// members of zip archives.
//
// Each symbol must be decoded before the next one can be found, so speed is the length of that chain:
// the bits select an entry of a table, which says how many bits to drop. A fast loop keeps the chain
// short. It refills 64 bits with one load and no branch, entries hold all that a symbol means, one
// entry yields two literals where both codes fit, the next entry is loaded before the bytes of a match
// are copied, and these are copied by vectors, beyond their end. The loop runs where input and room are
// plenty, so it checks neither per symbol, and leaves whatever is unusual to the plain twin. The idea
// is that of libdeflate (Biggers) and of igzip in ISA-L.
//
// The twin decodes symbol by symbol and loads no byte before it needs it. So the input may be cut
// anywhere, and the place where the stream ends is exact. All faults are found by the twin, whether
// the loop ran or not: the loop stops before them.
//
// The output goes where the caller wants it. What matches may still need of it is kept in a history,
// because the caller may use its memory again.
package inflate

import (
	"errors"
	"io"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// ErrCorrupt means that the input is not deflate data.
var ErrCorrupt = errors.New("the deflate data is damaged")

const (
	windowBytes = 32 << 10 // as far as a match may reach back
	matchMax    = 258
)

// Decoder decompresses one stream after the other. It needs about 20 KiB of memory, and 64 KiB
// more for streams that do not end in one call. It is for one goroutine.
type Decoder struct {
	span  // what the fast loop knows, and where it stands
	loops loops
	loop  Func // one of loops

	dst, src []byte // the arguments of the call of Decode in progress

	wide   uint // 1 while the output is symbols of two bytes: sizes and distances of it are in bytes
	slack  int  // outputSlack or symbolSlack
	skip   uint // bits of the first byte that belong to the block before
	pauses bool // at blocks
	paused bool

	step   step
	err    error // io.EOF at the end of the stream, or ErrCorrupt
	last   bool  // the block is the last one
	stored int   // bytes to copy of a stored block

	own    tables // of a block with codes of its own
	header header
	past   past // output of earlier calls
}

// step is what comes next in the input.
type step uint8

const (
	atBit step = iota // within a byte, where a block begins
	atBlock
	atStoredLen
	atStored
	atCounts
	atLengthCodes
	atLengths
	atSymbols
)

// loops are a fast loop that writes bytes, and one that writes symbols.
type loops struct{ bytes, symbols Func }

// variants holds the fast loops, best first.
var variants = append(vectorVariants(),
	kernel.Variant[loops]{ISA: cpu.Plain, Func: loops{loopPlain[byte], loopPlain[uint16]}})

// New returns a decoder with the fastest loop that can run here, at the beginning of a stream.
func New() *Decoder { return newDecoder(kernel.Choose(variants).Func) }

func newDecoder(l loops) *Decoder {
	d := &Decoder{loops: l}
	d.near = &nearTable
	d.Reset()
	return d
}

// Reset begins a new stream.
func (d *Decoder) Reset() {
	d.step, d.err, d.last, d.pauses, d.paused = atBlock, nil, false, false, false
	d.bits, d.bitsLen = 0, 0
	d.stored, d.length, d.distance = 0, 0, 0
	d.write(0)
	d.past.reset()
}

// write sets what the output is: bytes or, if wide is 1, symbols of two bytes.
func (d *Decoder) write(wide uint) {
	d.wide, d.loop, d.slack = wide, d.loops.bytes, outputSlack
	if wide > 0 {
		d.loop, d.slack = d.loops.symbols, symbolSlack
	}
	d.past.size = windowBytes << wide
}

// Decode continues with the next bytes of the input, src, and writes output to dst. It returns how
// many bytes it wrote and how many of src it used, until one of them has no more: if n is len(dst),
// it wants room; otherwise it has used all of src. At the end of the stream, which may come with the
// last output, the error is io.EOF, and used does not include what follows. At a fault it is
// ErrCorrupt; the output before it is right, and used ends with the byte in which it shows. Decode
// may overwrite all of dst. It keeps neither slice.
func (d *Decoder) Decode(dst, src []byte) (n, used int, err error) {
	d.dst, d.src, d.paused = dst, src, false
	d.in, d.at, d.inLast = unsafe.Pointer(unsafe.SliceData(src)), 0, len(src)-inputSlack
	d.out, d.n = unsafe.Pointer(unsafe.SliceData(dst)), 0
	d.before, d.beforeLen = d.past.pointer(), d.past.len
	for d.err == nil && !d.paused && d.advance() {
	}
	if d.err == nil {
		d.past.add(dst[:d.n])
	}
	d.dst, d.src, d.in, d.out = nil, nil, nil, nil
	return d.n, d.at, d.err
}

// advance takes the next step. It returns false if input or room is missing.
func (d *Decoder) advance() bool {
	switch d.step {
	case atBit:
		return d.skipBits()
	case atBlock:
		return d.block()
	case atStoredLen:
		return d.storedLen()
	case atStored:
		return d.copyStored()
	case atCounts:
		return d.counts()
	case atLengthCodes:
		return d.lengthCodes()
	case atLengths:
		return d.readLengths()
	}
	return d.symbols()
}

// fail ends the stream with a fault.
func (d *Decoder) fail() bool {
	d.err = ErrCorrupt
	return true
}

// need loads input until there are n bits, and no byte more. It returns false if there are fewer.
func (d *Decoder) need(n uint) bool {
	for d.bitsLen < n {
		if d.at == len(d.src) {
			return false
		}
		d.bits |= uint64(d.src[d.at]) << d.bitsLen
		d.bitsLen += 8
		d.at++
	}
	return true
}

// take returns the next n bits, which must be there.
func (d *Decoder) take(n uint) int {
	v := d.bits & (1<<n - 1)
	d.bits >>= n
	d.bitsLen -= n
	return int(v)
}

// block reads the first bits of a block.
func (d *Decoder) block() bool {
	if !d.need(3) {
		return false
	}
	d.last = d.take(1) == 1
	switch d.take(2) {
	case 0:
		d.take(d.bitsLen) // a stored block begins at a byte
		d.step, d.paused = atStoredLen, d.pauses && !d.last
	case 1:
		d.use(fixed())
	case 2:
		d.step = atCounts
	default:
		return d.fail()
	}
	return true
}

// use begins the symbols of a block.
func (d *Decoder) use(codes *tables) {
	d.literals, d.distances, d.step = &codes.literals, &codes.distances, atSymbols
}

// endBlock ends a block.
func (d *Decoder) endBlock() bool {
	d.step, d.paused = atBlock, d.pauses
	if d.last {
		d.err, d.paused = io.EOF, false
	}
	return true
}

func (d *Decoder) storedLen() bool {
	if !d.need(32) {
		return false
	}
	n, inverse := d.take(16), d.take(16)
	if n != inverse^0xffff {
		return d.fail()
	}
	d.stored, d.step = n, atStored
	return true
}

func (d *Decoder) copyStored() bool {
	stored := d.src[d.at:min(len(d.src), d.at+d.stored)]
	n := min(len(stored), (len(d.dst)-d.n)>>d.wide)
	d.put(stored[:n])
	d.at, d.stored = d.at+n, d.stored-n
	if d.stored > 0 {
		return false
	}
	return d.endBlock()
}

// symbols decodes literals and matches up to the end of the block. The fast loop goes on as long as
// there is much input and room, and stops where something is unusual. The plain twin decodes that,
// symbol by symbol, and whatever an earlier input began: so all that the loop loads and gives back is
// of this input.
func (d *Decoder) symbols() bool {
	for d.step == atSymbols && d.err == nil {
		if d.bitsLen < 8 {
			d.run()
		}
		if !d.symbol() {
			return false
		}
	}
	return true
}

// callBytes bounds the output of one call of the fast loop, which the scheduler cannot interrupt if
// it is assembly.
var callBytes = threshold.New("inflate: output of a call of the fast loop", 256<<10, 1)

// run runs the fast loop, if there is enough input and room.
func (d *Decoder) run() {
	room := len(d.dst) - d.slack
	for d.length == 0 && d.at <= d.inLast && d.n <= room {
		d.outLast = min(room, d.n+callBytes.Get())
		d.loop(&d.span)
		if d.n <= d.outLast {
			return
		}
	}
}

// past keeps the last output of earlier calls, as far as a match may reach back. It moves what it has
// to the front of its memory only when that is full, so short outputs cost no more each than their
// own bytes.
type past struct {
	end  int    // of the output kept
	len  int    // how much of it there is, at most size
	size int    // windowBytes, or as many bytes as that many symbols have
	buf  []byte // allocated when it is needed: short streams end in one call
}

func (p *past) reset() { p.end, p.len = 0, 0 }

// add appends output.
func (p *past) add(out []byte) {
	if len(out) > p.size {
		out = out[len(out)-p.size:]
	}
	p.grow()
	if p.end+len(out) > 2*p.size {
		keep := min(p.len, p.size-len(out))
		p.end = copy(p.buf, p.buf[p.end-keep:p.end])
	}
	p.end += copy(p.buf[p.end:2*p.size], out)
	p.len = min(p.len+len(out), p.size)
}

func (p *past) grow() {
	if need := 2*p.size + overrun; len(p.buf) < need {
		larger := make([]byte, need)
		copy(larger, p.buf)
		p.buf = larger
	}
}

// back returns the byte that lies n bytes before the end.
func (p *past) back(n int) byte { return p.buf[p.end-n] }

// pointer returns the end.
func (p *past) pointer() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.buf)), p.end)
}
