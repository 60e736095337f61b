package inflate

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
