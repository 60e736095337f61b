package run

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// work searches small files until there are none left.
func (m *manyRun) work() {
	w := &smallWorker{many: m, reader: source.NewSmallReader(smallBytesMax.Get())}
	defer w.reader.Close()
	for b := range m.toDo {
		for i := range b.tasks {
			switch task := &b.tasks[i]; {
			case task.err != nil:
			case m.ctx.Err() != nil:
				task.err = m.ctx.Err()
			default:
				w.search(b, i)
			}
		}
		close(b.done)
	}
}

// smallWorker reads files in one go and searches them.
type smallWorker struct {
	many   *manyRun
	reader *source.SmallReader
}

// search searches a file, or marks it as big.
func (w *smallWorker) search(b *batch, i int) {
	t := &b.tasks[i]
	if t.big = t.name == standardInput || w.many.visitor.FS != nil; t.big {
		return
	}
	many := w.many
	if many.neutral() && w.searchNeutral(b, i) {
		return
	}
	data, err := w.reader.Read(t.name)
	if !w.many.visitor.Raw && mayBeCompressed(t.name, data, err) {
		w.searchCompressed(b, i)
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

// searchCompressed searches a small compressed file with one worker: many files keep the
// processors busier than the members of each would.
func (w *smallWorker) searchCompressed(b *batch, i int) {
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
	if t.big = !in.Compressed(); t.big {
		t.err = in.Close()
		return
	}
	if bytes := in.compressed.file.Bytes; bytes > int64(compressedSmallBytesMax.Get()) {
		if t.big = !many.alone.take(in.compressed.format, bytes); t.big {
			t.bigBytes, t.err = bytes, in.Close()
			return
		}
		many.substitute()
		defer many.alone.finish(bytes)
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
