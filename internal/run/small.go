package run

import (
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
)

// work searches small files until there are none left.
func (t *tree) work() {
	w := &smallWorker{tree: t, reader: source.NewSmallReader(smallBytesMax.Get())}
	defer w.reader.Close()
	for b := range t.toDo {
		for i := range b.tasks {
			switch task := &b.tasks[i]; {
			case task.err != nil:
			case t.ctx.Err() != nil:
				task.err = t.ctx.Err()
			default:
				w.search(b, i)
			}
		}
		close(b.done)
	}
}

// smallWorker reads files whole.
type smallWorker struct {
	tree   *tree
	reader *source.SmallReader
}

func (w *smallWorker) search(b *batch, i int) {
	t := &b.tasks[i]
	if t.big = t.name == standardInput; t.big {
		return
	}
	data, err := w.reader.Read(t.name)
	if !w.tree.visitor.Raw && mayBePacked(t.name, data, err) {
		w.searchPacked(b, i)
		return
	}
	if t.big = err == source.ErrNotSmall; t.big {
		return
	}
	if t.err = err; err != nil {
		return
	}
	data = w.within(data)
	n := int64(len(data))
	if w.tree.options.Progress != nil {
		w.tree.options.Progress.Add(n)
	}
	t.report = Report{Bytes: n, Complete: true, Trailing: w.tree.query.traits().Trailing(n)}
	file := &source.File{Name: t.name, Kind: source.Regular, Bytes: n}
	if w.tree.count {
		t.err = w.countIn(t, file, data)
		return
	}
	w.searchIn(b, i, file, data)
}

// mayBePacked reports whether a file, of which data is the beginning or all, may have to be
// decompressed, or may be meant as a member of an archive.
func mayBePacked(name string, data []byte, err error) bool {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return strings.Contains(name, ":")
	case err != nil && (err != source.ErrNotSmall || len(data) == 0):
		return false // a FIFO is not to be opened and closed: that ends its writer
	}
	format, _, unsupported := decompress.Recognise(data, true)
	_, promised := decompress.ByName(name)
	return format != decompress.Plain || unsupported != nil || promised
}

// searchPacked searches what is in a small compressed file, on its own: many of them keep
// more processors busy than the members of each would.
func (w *smallWorker) searchPacked(b *batch, i int) {
	t, tree := &b.tasks[i], w.tree
	in, err := tree.visitor.open(t.name)
	var archive *ArchiveError
	if t.big = tree.visitor.Archives && errors.As(err, &archive); t.big {
		return
	}
	if err != nil {
		t.err = err
		return
	}
	if t.big = !in.Packed() || in.packed.file.Bytes > int64(packedSmallBytesMax.Get()); t.big {
		t.err = in.Close()
		return
	}
	o := tree.options
	o.Workers = 1
	most := taskHitsMax.Get()
	if tree.count {
		t.report, err = Count(tree.ctx, in, tree.query, o)
	} else {
		t.report, err = Find(tree.ctx, in, tree.query, o, func(hits []Hit) error {
			t.hits = append(t.hits, hits...)
			if len(t.hits) >= most && !w.handOver(b, i) {
				return tree.ctx.Err()
			}
			return nil
		})
	}
	t.err = errors.Join(err, in.Close())
}

// within returns the range of the bytes of a file that is asked for.
func (w *smallWorker) within(data []byte) []byte {
	o := &w.tree.options
	data = data[min(o.Offset, int64(len(data))):]
	if o.Length != nil {
		data = data[:min(*o.Length, int64(len(data)))]
	}
	return data
}

// countIn counts in the bytes of a file.
func (w *smallWorker) countIn(t *task, file *source.File, data []byte) error {
	off := w.tree.options.Offset
	run := w.tree.query.counter.Begin(file, source.Range{Off: off, End: off + int64(len(data))})
	if len(data) > 0 {
		search := run.Searcher(t.lost, new(atomic.Bool)) // too short to be stopped
		search.Search(engine.Block{Off: off, Data: data, Len: len(data)}, nil)
		search.(scan.Finisher).Finish()
	}
	return t.report.take(run)
}

// searchIn looks for hits in the bytes of a file.
func (w *smallWorker) searchIn(b *batch, i int, file *source.File, data []byte) {
	t := &b.tasks[i]
	o, s := &w.tree.options, w.tree.query.selector
	most := taskHitsMax.Get()
	span := source.Range{Off: o.Offset, End: o.Offset + int64(len(data))}
	searcher := s.Begin(file, span, false).Searcher(t.lost, &w.tree.stop)
	end := span.Off // of the last hit, where overlapping ones do not count
	block := engine.Block{Off: span.Off, Data: data, Len: len(data)}
	searcher.Search(block, func(h Hit) bool {
		if s.Disjoint && h.Off < end {
			return true
		}
		end = h.Off + h.Len
		t.report.Hits++
		t.hits = append(t.hits, h)
		if o.Limit > 0 && t.report.Hits == o.Limit {
			return false
		}
		if len(t.hits) < most {
			return true
		}
		return w.handOver(b, i)
	})
}

// lost takes a range that could not be searched.
func (t *task) lost(e engine.UnreadError) {
	t.report.Unread, t.report.Complete = append(t.report.Unread, e), false
}

// handOver passes on the hits of a file that has very many, when its turn has come.
func (w *smallWorker) handOver(b *batch, i int) bool {
	t := &b.tasks[i]
	select {
	case <-b.turn:
	case <-w.tree.ctx.Done():
		return false
	}
	select {
	case b.more <- handed{i, t.hits}:
		t.hits = nil
		return true
	case <-w.tree.ctx.Done():
		return false
	}
}
