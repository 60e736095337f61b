package thresh

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/find"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// work searches small files until there are none left.
func (t *tree) work() {
	w := &smallWorker{tree: t, buffer: make([]byte, 0, smallBytesMax+1)}
	for task := range t.toDo {
		if task.err == nil && t.ctx.Err() == nil {
			w.search(task)
		}
		close(task.done)
	}
}

// smallWorker reads files whole into a buffer of its own.
type smallWorker struct {
	tree   *tree
	buffer []byte
}

func (w *smallWorker) search(t *task) {
	in, err := w.tree.open(t.name)
	if err != nil {
		t.err = err
		return
	}
	n, regular := in.Bytes()
	if t.big = !regular || n > smallBytesMax || in.file.Kind != source.Regular; t.big {
		t.err = in.Close()
		return
	}
	data, err := w.read(in, n)
	t.err = errors.Join(err, in.Close())
	if t.err != nil {
		return
	}
	n = int64(len(data))
	t.report = Report{Bytes: n, Complete: true, Trailing: w.tree.query.traits().Trailing(n)}
	if w.tree.count {
		t.err = w.countIn(t, in, data)
		return
	}
	w.searchIn(t, in, data)
}

// read reads the range that is asked for. A file that shrank since it was opened, or a
// file of /proc that claims to have no bytes, is searched as it is read.
func (w *smallWorker) read(in *Input, n int64) ([]byte, error) {
	o := &w.tree.options
	want := max(n-o.Offset, 0)
	if o.Length != nil {
		want = min(want, *o.Length)
	}
	b := w.buffer[:want]
	got, err := in.file.OS().ReadAt(b, o.Offset)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return b[:got], nil
}

// countIn counts in the bytes of a file.
func (w *smallWorker) countIn(t *task, in *Input, data []byte) error {
	off := w.tree.options.Offset
	run := w.tree.query.counter.Begin(in.file, source.Range{Off: off, End: off + int64(len(data))})
	if len(data) > 0 {
		search := run.Searcher(t.lost, new(atomic.Bool)) // too short to be stopped
		search.Search(engine.Block{Off: off, Data: data, Len: len(data)}, nil)
		search.(scan.Finisher).Finish()
	}
	return t.report.take(run)
}

// searchIn looks for hits in the bytes of a file.
func (w *smallWorker) searchIn(t *task, in *Input, data []byte) {
	o, s := &w.tree.options, w.tree.query.selector
	span := source.Range{Off: o.Offset, End: o.Offset + int64(len(data))}
	searcher := s.Searcher(find.Input{File: in.file, Range: span,
		Stop: &w.tree.stop, Lost: t.lost})
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
		if len(t.hits) < taskHitsMax {
			return true
		}
		return w.handOver(t)
	})
}

// lost takes a range that could not be searched.
func (t *task) lost(e engine.UnreadError) {
	t.report.Unread, t.report.Complete = append(t.report.Unread, e), false
}

// handOver passes on the hits of a file that has very many, when its turn has come.
func (w *smallWorker) handOver(t *task) bool {
	select {
	case <-t.turn:
	case <-w.tree.ctx.Done():
		return false
	}
	select {
	case t.more <- t.hits:
		t.hits = nil
		return true
	case <-w.tree.ctx.Done():
		return false
	}
}
