package folders

import (
	"cmp"
	"io/fs"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// task is a name that one or both folders of a pair have.
type task struct {
	name  string // "." for the folders themselves
	in    [2]bool
	kinds [2]fs.FileMode // as listed
}

// walk makes tasks of the names in both folders, and all below them.
type walk struct {
	*comparison
	next    *batch
	folders int64 // that no batch has counted
	levels  []*level
}

// level is a folder that is being walked.
type level struct {
	pair  *pair // nil while it is closed
	path  string
	infos [2]source.Info // of a pair that was closed
}

// openLevels is how many levels of folders are open at once. Those above are opened again on the way back, so that a
// tree may be deeper than a process may have open files.
var openLevels = threshold.New("folders: levels of folders that are open", 32, 1)

// coarse returns the kind of an entry as far as every system lists it.
func coarse(kind fs.FileMode) fs.FileMode {
	if kind.IsRegular() || kind.IsDir() || kind&fs.ModeSymlink != 0 {
		return kind & (fs.ModeDir | fs.ModeSymlink)
	}
	return fs.ModeIrregular
}

// top walks the folders that are compared, and drops the pair. It returns false if the comparison has ended.
func (w *walk) top(p *pair) bool {
	lists, err := p.list()
	if err != nil {
		p.drop()
		return w.unread(".", err)
	}
	return w.folder(p, lists) && w.flush()
}

// folder walks a pair of folders, and drops it. It returns false if the comparison has ended.
func (w *walk) folder(p *pair, lists [2][]source.Entry) bool {
	l := w.enter(p)
	defer w.leave(l)
	if o := &w.Options; o.Mode || o.Owner || o.Modified {
		w.add(l, task{".", [2]bool{true, true}, [2]fs.FileMode{fs.ModeDir, fs.ModeDir}})
	}
	a, b := lists[0], lists[1]
	for len(a) > 0 || len(b) > 0 {
		if l.pair == nil { // it was closed, and cannot be opened again
			return w.unread(cmp.Or(strings.TrimSuffix(l.path, "/"), "."), errMoved)
		}
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = strings.Compare(a[0].Name, b[0].Name)
		}
		var t task
		if order <= 0 {
			t.name, t.in[0], t.kinds[0] = a[0].Name, true, coarse(a[0].Kind)
			a = a[1:]
		}
		if order >= 0 {
			t.name, t.in[1], t.kinds[1] = b[0].Name, true, coarse(b[0].Kind)
			b = b[1:]
		}
		more := true
		if order == 0 && t.kinds[0].IsDir() && t.kinds[1].IsDir() {
			more = w.descend(l, t)
		} else {
			more = w.add(l, t)
		}
		if !more {
			return false
		}
	}
	return w.flush()
}

// descend walks a folder that both have.
func (w *walk) descend(l *level, t task) bool {
	p, err := l.pair.open(t.name)
	var lists [2][]source.Entry
	if err == nil {
		if lists, err = p.list(); err != nil {
			p.drop()
		}
	}
	switch {
	case source.IsGone(err): // a worker looks at what is there now
		t.kinds = [2]fs.FileMode{fs.ModeIrregular, fs.ModeIrregular}
		return w.add(l, t)
	case err != nil:
		return w.flush() && w.unread(l.path+t.name, err)
	}
	w.folders++
	return w.flush() && w.folder(p, lists)
}

// enter begins a level, and closes one that is far above it.
func (w *walk) enter(p *pair) *level {
	w.levels = append(w.levels, &level{pair: p, path: p.path})
	if i := len(w.levels) - 1 - openLevels.Get(); i >= 0 {
		w.levels[i].close()
	}
	return w.levels[len(w.levels)-1]
}

// close closes the folders of a level, unless that was done, or they could not be told when they are opened again.
func (l *level) close() {
	if l.pair == nil {
		return
	}
	if infos, err := l.pair.infos("."); err == nil {
		l.infos = infos
		l.pair.drop()
		l.pair = nil
	}
}

// leave ends the innermost level, and opens the one around it again if it was closed.
func (w *walk) leave(l *level) {
	w.levels = w.levels[:len(w.levels)-1]
	if n := len(w.levels); n > 0 && w.levels[n-1].pair == nil && l.pair != nil {
		outer := w.levels[n-1]
		outer.pair, _ = l.pair.outer(outer.path, outer.infos) // nil is reported as unread
	}
	l.pair.drop()
}

// add adds a task to the batch. It returns false if the comparison has ended.
func (w *walk) add(l *level, t task) bool {
	if w.next == nil {
		w.next = &batch{pair: l.pair.hold(), tasks: make([]task, 0, batchNames.Get())}
	}
	if w.next.tasks = append(w.next.tasks, t); len(w.next.tasks) < batchNames.Get() {
		return true
	}
	return w.flush()
}

// unread passes on that a folder could not be compared.
func (w *walk) unread(path string, err error) bool {
	folder := &answer.Entry{Mode: fs.ModeDir}
	d := answer.FolderDifference{Kind: answer.NotCompared, Path: path, A: folder, B: folder, Err: err}
	w.next = &batch{found: []found{{FolderDifference: d}}}
	w.next.sum.Unread++
	return w.flush()
}

// flush hands the batch out. It returns false if the comparison has ended.
func (w *walk) flush() bool {
	b := w.next
	if b == nil {
		if w.folders == 0 || len(w.levels) > 0 {
			return true
		}
		b = &batch{} // of the folders alone
	}
	b.done = make(chan struct{})
	b.sum.Folders, w.folders, w.next = w.folders, 0, nil
	select {
	case w.ordered <- b:
		w.work <- b
		return true
	case <-w.ctx.Done():
		b.pair.drop()
		return false
	}
}
