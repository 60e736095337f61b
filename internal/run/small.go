package run

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// storageBytes is the size from which on reading a file takes longer than opening it, if it comes from
// storage. Then more workers read at once than open small files best.
var storageBytes = threshold.New("many: file that more workers start for", 64<<10, 1)

// smallMost returns the most bytes of a file that is read in one go: the buffers of that many workers take
// an eighth of the memory bound at most, or are as small as is useful.
func smallMost(o *Options, workers int) int {
	least := min(smallBytesMax.Get(), storageBytes.Get())
	return max(int(min(int64(smallBytesMax.Get()), o.Memory/8/int64(workers))), least)
}

// work searches small files until there are none left.
func (m *manyRun) work() {
	w := &smallWorker{many: m, reader: source.NewSmallReader(m.smallMax)}
	defer w.reader.Close()
	for b := m.next(); b != nil; b = m.next() {
		for b != nil {
			b = w.searchBatch(b)
		}
	}
}

// smallWorker reads files in one go and searches them.
type smallWorker struct {
	many   *manyRun
	reader *source.SmallReader
	rest   *batch // of the batch that it searches, offered to others
}

// searchBatch searches the files of a batch. After a file that takes long it returns the rest of them as
// a batch of its own, if no other worker has taken that meanwhile.
func (w *smallWorker) searchBatch(b *batch) (rest *batch) {
	w.rest = nil
	for ; b.searched < len(b.tasks) && w.rest == nil; b.searched++ {
		switch t := &b.tasks[b.searched]; {
		case t.err != nil:
		case w.many.ctx.Err() != nil:
			t.err = w.many.ctx.Err()
		default:
			w.search(b, b.searched)
		}
	}
	b.rest = w.rest
	close(b.done)
	if w.many.rests.reclaim(w.rest) {
		return w.rest
	}
	return nil
}

// offerRest offers the tasks of a batch from one on to other workers, because the one before takes long.
func (w *smallWorker) offerRest(b *batch, from int) {
	if from < len(b.tasks) {
		w.rest = newBatch(b.tasks[from:])
		w.many.rests.offer(w.rest)
	}
	w.many.start(w.many.alone.most)
}

// search searches a file, or marks it as big.
func (w *smallWorker) search(b *batch, i int) {
	t := &b.tasks[i]
	if t.big = t.name == standardInput || w.many.visitor.FS != nil || w.many.visitor.isRemote(t.name); t.big {
		return
	}
	many := w.many
	if many.neutral() && w.searchNeutral(b, i) {
		return
	}
	data, err := w.reader.Read(t.name)
	if !w.many.visitor.Raw && mayBeCompressed(t.name, data, err) || err == source.ErrNotSmall && len(data) > 0 {
		w.searchBig(b, i)
		return
	}
	if t.big = err == source.ErrNotSmall; t.big {
		return
	}
	if t.err = err; err != nil {
		return
	}
	o := &many.options
	size := int64(len(data))
	many.keep.policy(o, size) // counted; these bytes have been read
	if size > int64(storageBytes.Get()) {
		many.start(many.alone.most)
	}
	data = clip(data, o)
	n := int64(len(data))
	if o.Progress != nil {
		o.Progress.Add(n)
	}
	whole := &whole{file: &source.File{Name: t.name, Kind: source.Regular, Bytes: size}, off: o.Offset, data: data,
		limit: o.Limit, stop: &w.many.stop}
	t.report = Report{Bytes: n, Complete: true, Trailing: w.many.query.traits().Trailing(n)}
	if w.many.count {
		t.err = whole.countInto(&t.report, w.many.query)
		return
	}
	hitsMax := taskHitsMax.Get()
	t.report.Hits = whole.search(w.many.query, lost(&t.report), func(h Hit) bool {
		t.hits = append(t.hits, h)
		return len(t.hits) < hitsMax || w.handOver(b, i)
	})
}

// clip returns the range of a file's bytes that the options ask for, as far as the file goes.
func clip(data []byte, o *Options) []byte {
	data = data[min(o.Offset, int64(len(data))):]
	if o.Length != nil {
		data = data[:min(*o.Length, int64(len(data)))]
	}
	return data
}

// mayBeCompressed reports whether a file may have to be decompressed, or may be the member of an
// archive. Data is the beginning of the file, or all of it.
func mayBeCompressed(name string, data []byte, err error) bool {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return strings.Contains(name, ":")
	case err != nil && (err != source.ErrNotSmall || len(data) == 0):
		return false // opening and closing a FIFO would end its writer
	}
	format, _, unsupported := decompress.Recognise(data, true)
	_, promised := decompress.ByName(name)
	return format != decompress.Plain || unsupported != nil || promised
}

// searchBig searches a file that is compressed, or too big to be read in one go, with one worker, or
// marks it as big: many files keep the processors busier than the parts of each would.
func (w *smallWorker) searchBig(b *batch, i int) {
	t, many := &b.tasks[i], w.many
	in, err := many.visitor.open(t.name)
	var archive *ArchiveError
	if t.big = many.visitor.Archives && errors.As(err, &archive); t.big {
		return
	}
	if err != nil {
		t.err = err
		return
	}
	w.searchOpen(b, i, in)
}

// searchOpen does that with an input that is open, and closes it.
func (w *smallWorker) searchOpen(b *batch, i int, in *Input) {
	t, many := &b.tasks[i], w.many
	format, bytes, small := decompress.Plain, in.file.Bytes, many.smallMax
	if in.Compressed() {
		format, bytes, small = in.compressed.format, in.compressed.file.Bytes, compressedSmallBytesMax.Get()
	} else if t.big = in.file.Kind != source.Regular; t.big { // it was replaced
		t.err = in.Close()
		return
	}
	if bytes > int64(small) {
		if t.big = !many.alone.take(format, bytes); t.big {
			if t.bigBytes = bytes; many.neutral() {
				t.err = in.dropBrought()
			}
			t.err = errors.Join(t.err, in.Close())
			return
		}
		defer many.alone.finish(bytes)
		w.offerRest(b, i+1)
	}
	w.searchInput(b, i, in, many.keep.policy(&many.options, in.bytesRead(&many.options)))
}

// searchInput searches an input with one worker, and closes it.
func (w *smallWorker) searchInput(b *batch, i int, in *Input, cache Cache) {
	t, many := &b.tasks[i], w.many
	o := many.options
	o.Workers, o.Cache = 1, cache
	if n, ok := in.Bytes(); ok {
		o.clip(n)
	}
	hitsMax := taskHitsMax.Get()
	var err error
	if many.count {
		t.report, err = Count(many.ctx, in, many.query, o)
	} else {
		t.report, err = Find(many.ctx, in, many.query, o, func(hits []Hit) error {
			t.hits = append(t.hits, hits...)
			if len(t.hits) >= hitsMax && !w.handOver(b, i) {
				return many.ctx.Err()
			}
			return nil
		})
	}
	t.err = errors.Join(err, in.Close())
}

// handOver passes the hits of a file on before it is finished, because there are very many. It
// waits for the file's turn, and returns false if the run ends before.
func (w *smallWorker) handOver(b *batch, i int) bool {
	t := &b.tasks[i]
	select {
	case <-b.turn:
	case <-w.many.ctx.Done():
		return false
	}
	select {
	case b.more <- handed{i, t.hits}:
		t.hits = nil
		return true
	case <-w.many.ctx.Done():
		return false
	}
}
