package table

import "github.com/thresh-dev/thresh/internal/kernel/fields"

// longRecords processes the records of the chunk, which begins at off, by their heads: if they are long, all
// have as many fields as the first record of the input, and the fields that are wanted are near their
// beginnings. It returns the number of records it processed, and the place after them. The rest are left
// to eachRecord.
func (w *worker) longRecords(off int64) (found int, begin uint32) {
	if w.heads == nil || !w.pass.same || w.second() || cap(w.Text)-len(w.Text) < fields.HeadSlack {
		return 0, 0
	}
	if w.listed > 0 {
		w.listed--
		return 0, 0
	}
	delim, wanted := w.query.Dialect.Delim, w.query.InFile()
	n := w.heads.Mark(w.Text, delim, w.query.First.Fields)
	for found < n && !w.block.failed {
		from, k := found, min(n-found, fields.HeadBatch, batchRecords.Get())
		if !w.heads.Locate(w.Text, delim, from, k, wanted, w.Columns) {
			break
		}
		found += k
		w.block.feeds += int64(k)
		w.clock.lap(stageFields)
		w.bounds = bounds{begin: w.heads.End(from-1) + 1, ends: w.heads.Ends(from, k)}
		w.answer(w.every[:k], func(i uint16) int64 { return off + int64(w.bounds.from(i)) })
	}
	if found < n || n == 0 && len(w.Text) > fields.ChunkBytes/2 { // more of that kind are likely
		w.listed = ordinaryChunks.Get()
	}
	return found, w.heads.End(found-1) + 1
}
