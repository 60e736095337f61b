package folders

import (
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// outcome is what was found of the contents of two files.
type outcome struct {
	differs bool
	off     int64 // of the first byte that differs
	err     error // why that is not known
}

// files compares two regular files.
func (w *worker) files(t *task) {
	var opened [2]source.Opened
	var infos [2]source.Info
	for i, side := range w.batch.pair.sides {
		var err error
		if opened[i], infos[i], err = side.Open(t.name); err != nil {
			if i == 1 {
				opened[0].Close()
			}
			w.others(t, err)
			return
		}
	}
	closeBoth := func() { opened[0].Close(); opened[1].Close() }
	a, b := &infos[0], &infos[1]
	d := answer.FolderDifference{}
	ids := [2]source.FileID{a.ID, b.ID}
	several := a.Links > 1 && b.Links > 1
	out, known := outcome{}, false
	if several {
		out, known = w.linked.get(ids)
	}
	switch {
	case a.Bytes != b.Bytes:
		d.Kind = answer.DifferentSize
		closeBoth()
	case a.SameFile(b) || known:
		w.batch.sum.Skipped += a.Bytes
		closeBoth()
	default:
		way := Together
		if !w.inTurn {
			way = w.Way(a.Bytes)
		}
		if way == Together && !w.inTurn {
			closeBoth()
			w.batch.found = append(w.batch.found, found{later: t})
			return
		}
		if out = w.contents(t, opened, a.Bytes, way); w.ctx.Err() != nil {
			return // nothing more is passed on
		}
		if several {
			w.linked.put(ids, out)
		}
	}
	w.batch.sum.Files++
	switch {
	case out.err != nil:
		w.unread(t, &infos, out.err)
		return
	case out.differs:
		d.Kind, d.Off = answer.DifferentContent, out.off
	}
	w.ended(t, &infos, d)
}

// contents compares two open files of the same size, and closes them.
func (w *worker) contents(t *task, files [2]source.Opened, bytes int64, way Way) outcome {
	if way == Read {
		if out, sure := w.read(files, bytes); sure {
			files[0].Close()
			files[1].Close()
			return out
		}
	}
	sides := w.batch.pair.sides
	r, err := w.Files(w.ctx, files[0].OS(sides[0].Path(t.name)), files[1].OS(sides[1].Path(t.name)), w.inTurn)
	sum := &w.batch.sum
	sum.Bytes += r.Bytes
	sum.Skipped += r.Skipped
	if w.Options.Past && r.Bytes > 0 && r.Direct != both {
		sum.Cached++
	}
	switch {
	case errors.As(err, new(*failure.MemoryError)), errors.As(err, new(*failure.EngineError)):
		w.fail(err) // no file can be compared so
		return outcome{err: err}
	case err != nil:
		return outcome{err: err}
	case r.First >= 0:
		return outcome{differs: true, off: r.First}
	case r.Equal:
		return outcome{}
	case r.Complete: // one is longer than it said
		return outcome{differs: true, off: r.Compared}
	}
	for i := range r.Unread {
		err = errors.Join(err, &r.Unread[i])
	}
	return outcome{err: err}
}

// read compares two files of that size, a buffer of each at a time. It is not sure if one cannot be read, has another
// size than it says, or the comparison has ended.
func (w *worker) read(files [2]source.Opened, bytes int64) (out outcome, sure bool) {
	for i := range w.buffers {
		if w.buffers[i] == nil {
			w.buffers[i] = make([]byte, w.BufferBytes)
		}
	}
	for off := int64(0); ; {
		// A file of no bytes may be one that the kernel generates when it is read.
		wanted := int(min(max(bytes-off, 1), int64(w.BufferBytes)))
		a, b := w.buffers[0][:wanted], w.buffers[1][:wanted]
		n, err := files[0].ReadAt(a, off)
		m, otherErr := files[1].ReadAt(b, off)
		switch {
		case err != nil || otherErr != nil || w.ctx.Err() != nil:
			return outcome{}, false
		case bytes == 0:
			return outcome{}, n+m == 0
		case n < wanted || m < wanted:
			return outcome{}, false
		}
		w.batch.sum.Bytes += int64(n)
		if w.Options.Progress != nil {
			w.Options.Progress.Add(int64(n))
		}
		if i := w.kernel.Index(a, b); i >= 0 {
			return outcome{differs: true, off: off + int64(i)}, true
		}
		if off += int64(n); off >= bytes {
			return outcome{}, true
		}
	}
}
