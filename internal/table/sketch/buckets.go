package sketch

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// A DDSketch counts values by buckets whose bounds grow by a constant factor, gamma. A bucket's
// answer is within accuracy of each of its values.
//
// A bucket has one number, its key: 0 is the bucket of 0 and of what is too near to it, the keys
// of positive values ascend with them from 1 on, and a negative value has the negated key of its
// magnitude. So ascending keys are ascending values, of either sign.

const (
	gamma = (1 + accuracy) / (1 - accuracy)

	// bucketsPerE is how many buckets there are from a value to e times that value: 1 / ln(gamma).
	bucketsPerE = 99.99916666111281

	// Magnitudes up to magnitudeMin are in the bucket of 0, since gamma times the smallest normal
	// number is the first that has a bucket. Above magnitudeMax a bucket's answer may overflow.
	magnitudeMin = gamma * 0x1p-1022
	magnitudeMax = 1.2648368220384013e+308

	// keyBias is added to the number of a bucket, so that it is positive: that of magnitudeMin is
	// -70839.
	keyBias = 1 << 17
	keyMax  = 1<<18 - 1
)

// keyOf returns the key of the bucket of v, whose magnitude is magnitudeMax at most.
func keyOf(v float64) int32 {
	switch {
	case v > magnitudeMin:
		return bucketOf(v) + keyBias
	case v < -magnitudeMin:
		return -(bucketOf(-v) + keyBias)
	}
	return 0
}

func bucketOf(magnitude float64) int32 {
	i := math.Log(magnitude) * bucketsPerE
	if i >= 0 {
		return int32(i)
	}
	return int32(i) - 1
}

// valueOf returns the answer for the values of a bucket.
func valueOf(key int32) float64 {
	switch {
	case key > 0:
		return (1 + accuracy) * math.Exp(float64(key-keyBias)/bucketsPerE)
	case key < 0:
		return -valueOf(-key)
	}
	return 0
}

// buckets counts values by key. It is a hash table with open addressing, so its memory depends on
// the buckets that are used and not on their range. The zero buckets is empty.
type buckets struct {
	slots []bucket // a power of two of them; a free slot has the count 0
	used  int
}

type bucket struct {
	key   int32
	count int64
}

// bucketBytes is the size of a slot.
const bucketBytes = 16

// slotsLeast is the size of the first table.
const slotsLeast = 64

// add adds count values, at least one, to a bucket.
func (b *buckets) add(key int32, count int64) {
	if 4*(b.used+1) > 3*len(b.slots) {
		b.grow()
	}
	slot := b.slot(key)
	if slot.count == 0 {
		slot.key = key
		b.used++
	}
	slot.count += count
}

// slot returns the slot of a key, or the free one in which it belongs.
func (b *buckets) slot(key int32) *bucket {
	mask := len(b.slots) - 1
	i := int(uint32(key) * 0x9e3779b1 >> (32 - bits.Len(uint(mask))))
	for b.slots[i].count != 0 && b.slots[i].key != key {
		i = (i + 1) & mask
	}
	return &b.slots[i]
}

func (b *buckets) grow() {
	old := b.slots
	b.slots = make([]bucket, max(2*len(old), slotsLeast))
	for _, o := range old {
		if o.count != 0 {
			*b.slot(o.key) = o
		}
	}
}

// mergeStride is odd, so that multiples of it visit every slot of a table once.
const mergeStride = 0x9e3779b1

// merge adds the counts of o, and does not change o. It does not visit o's slots in their order,
// which is that of the hashes: in a smaller table each slot would then lie behind a growing row of
// others.
func (b *buckets) merge(o *buckets) {
	for i := range o.slots {
		if from := o.slots[i*mergeStride&(len(o.slots)-1)]; from.count != 0 {
			b.add(from.key, from.count)
		}
	}
}

// sorted returns the buckets that are used, in ascending order of their values.
func (b *buckets) sorted() []bucket {
	all := make([]bucket, 0, b.used)
	for _, slot := range b.slots {
		if slot.count != 0 {
			all = append(all, slot)
		}
	}
	slices.SortFunc(all, func(x, y bucket) int { return int(x.key - y.key) })
	return all
}

// atRank returns the answer for the value at a rank in ascending order, from 1 to the number of
// values.
func (b *buckets) atRank(rank int64) float64 {
	for _, at := range b.sorted() {
		if rank -= at.count; rank <= 0 {
			return valueOf(at.key)
		}
	}
	panic("thresh: bug: a rank beyond the number of values")
}

// appendBinary appends an encoding: the number of buckets, then for each, in ascending order, how
// far its key is from the one before, and its count.
func (b *buckets) appendBinary(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(b.used))
	before := int32(-keyMax - 1)
	for _, at := range b.sorted() {
		to = binary.AppendUvarint(to, uint64(at.key-before))
		to = binary.AppendUvarint(to, uint64(at.count))
		before = at.key
	}
	return to
}

// read reads what appendBinary appended: buckets with n values in all.
func (b *buckets) read(r *encoded.Reader, n int64) {
	key := int64(-keyMax - 1)
	for left := r.UvarintTo(2*keyMax + 1); left > 0 && !r.Bad; left-- {
		step := r.UvarintTo(2*keyMax + 1)
		count := r.UvarintTo(uint64(n))
		key += int64(step)
		if step == 0 || count == 0 || key > keyMax {
			r.Bad = true
			return
		}
		b.add(int32(key), int64(count))
		n -= int64(count)
	}
	r.Bad = r.Bad || n != 0
}
