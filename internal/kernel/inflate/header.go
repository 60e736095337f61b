package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// header is the header of a block with codes of its own (RFC 1951, section 3.2.7): how many lengths
// of codes it has, a code for these lengths, and the lengths.
type header struct {
	literals, distances, lengthCodes int

	read    int                    // lengths read so far: first of the codes for lengths, then of all others
	table   [1 << lengthRoot]entry // of the code for lengths
	lengths [literalMax + distanceMax]uint8
}

// repeatBefore is how many extra bits the symbol has that repeats the length before. Those that
// repeat zero have more, and lengths have none.
const repeatBefore = 2

// counts reads how many lengths the header has.
func (d *Decoder) counts() bool {
	if !d.need(14) {
		return false
	}
	h := &d.header
	h.literals, h.distances, h.lengthCodes = d.take(5)+257, d.take(5)+1, d.take(4)+4
	if h.literals > literalMax || h.distances > distanceMax {
		return d.fail()
	}
	h.read, d.step = 0, atLengthCodes
	clear(h.lengths[:lengthCodes])
	return true
}

// lengthCodes reads the lengths of the codes for lengths.
func (d *Decoder) lengthCodes() bool {
	h := &d.header
	for ; h.read < h.lengthCodes; h.read++ {
		if !d.need(3) {
			return false
		}
		h.lengths[lengthOrder[h.read]] = uint8(d.take(3))
	}
	if !build(h.table[:], lengthRoot, h.lengths[:lengthCodes], lengthSymbols[:]) {
		return d.fail()
	}
	h.read, d.step = 0, atLengths
	return true
}

// readLengths reads the lengths of all codes and makes the block's tables.
func (d *Decoder) readLengths() bool {
	h := &d.header
	all := h.lengths[:h.literals+h.distances]
	for h.read < len(all) {
		e, ok := d.lookup(h.table[:], lengthRoot)
		if !ok {
			return false
		}
		if e == noCode {
			return d.fail()
		}
		extra := e.consumes() - e.code()
		if extra == repeatBefore && h.read == 0 {
			return d.fail()
		}
		if !d.need(e.consumes()) {
			return false
		}
		d.take(e.code())
		length, times := uint8(e.value()), 1
		if extra > 0 {
			length, times = 0, e.value()+d.take(extra)
		}
		if extra == repeatBefore {
			length = all[h.read-1]
		}
		if times > len(all)-h.read {
			return d.fail()
		}
		for range times {
			all[h.read] = length
			h.read++
		}
	}
	if !d.own.build(all[:h.literals], all[h.literals:]) {
		return d.fail()
	}
	d.use(&d.own)
	return true
}

// Probes returns the benchmark task of the family: lines of a log, decompressed as one stream.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("inflate", 1, 0, variants, func(l loops, n int) kernel.Work {
		content, number := make([]byte, 0, n+64), uint32(1)
		for len(content) < n {
			number = number*1664525 + 1013904223 // a sequence of random numbers that is always the same
			content = fmt.Appendf(content, "2026-01-02T%02d:%02d INFO user=%05d path=/%x\n",
				number>>28, number>>26&31, number>>8%1000, number>>20)
		}
		src, dst, d := compress(content[:n]), make([]byte, n), newDecoder(l)
		decode := func() int {
			d.Reset()
			decoded, _, _ := d.Decode(dst, src) // whatever it is, the answer shows it
			return decoded
		}
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					decode()
				}
			},
			Answer: func() any { return crc32.ChecksumIEEE(dst[:decode()]) },
		}
	})}
}

// compress returns content as deflate data.
func compress(content []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("thresh: bug: the level of compression: " + err.Error())
	}
	return b.Bytes()
}
