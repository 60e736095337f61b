package table

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// A sample is the records with the smallest hashes. The hash of a record is that of its place: the number of
// its input, and its offset there. So each set of records is as likely as any other of that size, and the
// sample is the same for every number of workers. A worker keeps the records with the smallest hashes that it
// has seen; one that has seen enough tells the others above which hash they need not look.

// sample is what all workers know of a sample.
type sample struct {
	*query.SamplePlan
	bound atomic.Uint64 // no record with a greater hash is in the sample
	bytes atomic.Int64  // memory of the records that all workers keep
}

func newSample(p *query.SamplePlan) *sample {
	a := &sample{SamplePlan: p}
	a.bound.Store(^uint64(0))
	return a
}

// sampler is a worker's part of a sample: a heap whose first record has the greatest hash.
type sampler struct {
	of   *sample
	kept []sampled
}

// sampled is a record that may be in the sample.
type sampled struct {
	hash   uint64
	input  int
	off    int64
	fields [][]byte
}

// hash returns the hash of a record.
func (a *sample) hash(input int, off int64) uint64 {
	return mix(mix(mix(a.Seed)+uint64(input)) + uint64(off))
}

// mix is a bijection that spreads a number over all bits, the one that ends SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// compare orders records by hash. Places decide among equal hashes.
func (s sampled) compare(o sampled) int {
	return cmp.Or(cmp.Compare(s.hash, o.hash), s.comparePlace(o))
}

func (s sampled) comparePlace(o sampled) int {
	return cmp.Or(cmp.Compare(s.input, o.input), cmp.Compare(s.off, o.off))
}

func (s *sampler) Len() int           { return len(s.kept) }
func (s *sampler) Less(i, j int) bool { return s.kept[i].compare(s.kept[j]) > 0 }
func (s *sampler) Swap(i, j int)      { s.kept[i], s.kept[j] = s.kept[j], s.kept[i] }
func (s *sampler) Push(x any)         { s.kept = append(s.kept, x.(sampled)) }
func (s *sampler) Pop() any {
	last := len(s.kept) - 1
	x := s.kept[last]
	s.kept[last] = sampled{}
	s.kept = s.kept[:last]
	return x
}

// add looks at the records of a batch.
func (s *sampler) add(w *worker, sel records.Selection) error {
	a := s.of
	for _, i := range sel {
		off := w.At(i)
		next := sampled{hash: a.hash(int(w.pass.number), off), input: int(w.pass.number), off: off}
		if next.hash > a.bound.Load() {
			continue
		}
		full := int64(len(s.kept)) == a.N
		if full && next.compare(s.kept[0]) > 0 {
			continue
		}
		for _, c := range a.Columns {
			next.fields = append(next.fields, slices.Clone(w.Field(w.TextColumn(c)[i])))
		}
		more := fieldsBytes(next.fields)
		if full {
			more -= fieldsBytes(s.kept[0].fields)
			s.kept[0] = next
			heap.Fix(s, 0)
		} else {
			heap.Push(s, next)
		}
		if int64(len(s.kept)) == a.N {
			a.lower(s.kept[0].hash)
		}
		if bound := w.run.options.MemBytes; a.bytes.Add(more) > bound && bound > 0 {
			return fmt.Errorf("thresh.Sample: the records do not fit in %d bytes, the part of Run.MemoryBytes for them; "+
				"ask for fewer, for fewer columns, or raise Run.MemoryBytes", bound)
		}
	}
	return nil
}

// Close does nothing: there is nothing but memory.
func (*sampler) Close() error { return nil }

// lower lowers the bound.
func (a *sample) lower(to uint64) {
	for bound := a.bound.Load(); to < bound && !a.bound.CompareAndSwap(bound, to); bound = a.bound.Load() {
	}
}

// write writes the sample in file order.
func (r *Run) writeSample(a *query.SamplePlan, out answer.Writer) error {
	var all []sampled
	for _, s := range operatorsOf(r, func(s *sampler) bool { return s.of.Index == a.Index }) {
		all = append(all, s.kept...)
	}
	slices.SortFunc(all, sampled.compare)
	all = all[:min(int64(len(all)), a.N)]
	slices.SortFunc(all, sampled.comparePlace)
	if err := out.Begin("sample", a.Heading); err != nil {
		return err
	}
	var cells []answer.Cell
	for _, s := range all {
		cells = cells[:0]
		for _, f := range s.fields {
			cells = append(cells, answer.Cell{Null: f == nil, Text: f})
		}
		if err := out.Row(cells); err != nil {
			return err
		}
	}
	return out.End(nil)
}
