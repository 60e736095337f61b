package sketch

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// A histogram counts float64 by their sign, exponent and first seven bits behind the point,
// so that a bucket is as wide as 1/128 of its lower bound: log-linear buckets, which HDR
// Histogram (Gil Tene) and DDSketch with a linear mapping (Masson, Rim and Lee, VLDB 2019)
// have too. Here a bucket is a shift away from the value, without a logarithm that another
// machine might round otherwise. Buckets never move and histograms add up, so that
// a histogram depends on its values alone.
//
// The bits of a float64, all turned over below zero and only the sign above, are ordered as
// the values are: the upper 12 are the page, one for each binade, the next 7 the bucket.
type histogram struct {
	total uint64
	pages [4096]*page
}

const (
	bucketBits     = 7
	bucketsPerPage = 1 << bucketBits
	mantissaBits   = 52
	bucketShift    = mantissaBits - bucketBits
	signBit        = 1 << 63

	// Numbers of these pages begin at 0: nearer to it than any other float64 of full precision.
	belowZero, aboveZero = 0x7ff, 0x800
)

type page [bucketsPerPage]uint64

// add counts a value. An infinity counts as the largest float64 of its sign.
func (h *histogram) add(v float64, count uint64) {
	bits := math.Float64bits(min(max(v, -math.MaxFloat64), math.MaxFloat64))
	key := bits ^ (uint64(int64(bits)>>63) | signBit)
	p := h.pages[key>>mantissaBits]
	if p == nil {
		p = new(page)
		h.pages[key>>mantissaBits] = p
	}
	p[key>>bucketShift%bucketsPerPage] += count
	h.total += count
}

func (h *histogram) merge(o *histogram) {
	h.total += o.total
	for i, from := range o.pages {
		if from == nil {
			continue
		}
		to := h.pages[i]
		if to == nil {
			to = new(page)
			h.pages[i] = to
		}
		for j, count := range from {
			to[j] += count
		}
	}
}

// at returns the middle of the bucket that value number rank is in, counted from 1.
func (h *histogram) at(rank uint64) float64 {
	for i, p := range h.pages {
		if p == nil {
			continue
		}
		for j, count := range p {
			if rank <= count {
				return middle(uint64(i), uint64(j))
			}
			rank -= count
		}
	}
	panic("thresh: bug: a rank beyond all values")
}

func middle(page, bucket uint64) float64 {
	if page == belowZero || page == aboveZero {
		return 0
	}
	key := page<<mantissaBits | bucket<<bucketShift | 1<<(bucketShift-1)
	if key&signBit != 0 {
		return math.Float64frombits(key ^ signBit)
	}
	return math.Float64frombits(^key)
}

func (h *histogram) bytes() int {
	total := int(unsafe.Sizeof(*h))
	for _, p := range h.pages {
		if p != nil {
			total += int(unsafe.Sizeof(*p))
		}
	}
	return total
}

// appendBinary appends the buckets that count something: how far each is behind the one
// before it, and its count. A 0 ends them.
func (h *histogram) appendBinary(b []byte) []byte {
	last := -1
	for i, p := range h.pages {
		if p == nil {
			continue
		}
		for j, count := range p {
			if count > 0 {
				at := i*bucketsPerPage + j
				b = binary.AppendUvarint(b, uint64(at-last))
				b = binary.AppendUvarint(b, count)
				last = at
			}
		}
	}
	return append(b, 0)
}

func (h *histogram) decode(r *reader) {
	const buckets = uint64(len(h.pages) * bucketsPerPage)
	for at := ^uint64(0); ; { // the one before the first
		step := r.number(buckets)
		if step == 0 || r.bad {
			return
		}
		at += step
		count := r.number(math.MaxInt64)
		if at >= buckets || count == 0 || h.total > math.MaxInt64 {
			r.bad = true
			return
		}
		i := at / bucketsPerPage
		if h.pages[i] == nil {
			h.pages[i] = new(page)
		}
		h.pages[i][at%bucketsPerPage] = count
		h.total += count
	}
}
