package folders

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// worker compares the names of one batch after the other.
type worker struct {
	*comparison
	batch   *batch
	inTurn  bool // it is the batch's turn
	buffers [2][]byte
}

func (c *comparison) worker() *worker { return &worker{comparison: c} }

var both = [2]bool{true, true}

// compare compares what a name stands for.
func (w *worker) compare(t *task) {
	switch {
	case t.in != both:
		w.single(t, slices.Index(t.in[:], true))
	case t.kinds[0].IsRegular() && t.kinds[1].IsRegular():
		w.files(t)
	default:
		w.others(t, nil)
	}
}

// path returns the path of a task below the tops.
func (w *worker) path(t *task) string {
	if t.name == "." {
		return cmp.Or(strings.TrimSuffix(w.batch.pair.path, "/"), ".")
	}
	return w.batch.pair.path + t.name
}

// report adds a difference to what was found.
func (w *worker) report(t *task, d answer.FolderDifference) {
	d.Path = w.path(t)
	w.batch.found = append(w.batch.found, found{FolderDifference: d})
}

// single reports a name that only one folder has.
func (w *worker) single(t *task, side int) {
	info, err := w.batch.pair.sides[side].Info(t.name)
	switch {
	case source.IsGone(err): // as if it had not been listed
		return
	case err != nil:
		info = source.Info{Mode: t.kinds[side]}
	}
	if e := entryOf(&info); side == 0 {
		w.batch.sum.OnlyInFirst++
		w.report(t, answer.FolderDifference{Kind: answer.OnlyInFirst, A: e})
	} else {
		w.batch.sum.OnlyInSecond++
		w.report(t, answer.FolderDifference{Kind: answer.OnlyInSecond, B: e})
	}
}

// unread reports a name that cannot be compared.
func (w *worker) unread(t *task, infos *[2]source.Info, err error) {
	w.batch.sum.Unread++
	d := answer.FolderDifference{Kind: answer.NotCompared, Err: err}
	if infos != nil {
		d.A, d.B = entryOf(&infos[0]), entryOf(&infos[1])
	}
	w.report(t, d)
}

// errChanged is why a name cannot be compared that stood for something else when it was listed.
var errChanged = errors.New("it was replaced while it was compared")

// others compares names that are not both known to be files that can be opened. Opened is why one cannot.
func (w *worker) others(t *task, opened error) {
	var infos [2]source.Info
	var errs [2]error
	for i, side := range w.batch.pair.sides {
		infos[i], errs[i] = side.Info(t.name)
	}
	gone := [2]bool{source.IsGone(errs[0]), source.IsGone(errs[1])}
	a, b := &infos[0], &infos[1]
	kind := a.Mode.Type()
	switch {
	case gone == both:
		return
	case gone[0] || gone[1]:
		w.single(t, slices.Index(gone[:], false))
		return
	case errs[0] != nil || errs[1] != nil:
		w.count(t)
		w.unread(t, nil, errors.Join(errs[0], errs[1]))
		return
	case kind != b.Mode.Type(), kind&fs.ModeDevice != 0 && a.Device != b.Device:
		w.count(t)
		w.batch.sum.Changed++
		w.differ(t, &infos, answer.FolderDifference{Kind: answer.DifferentType})
		return
	case kind.IsDir() && !t.kinds[0].IsDir(), kind.IsRegular() && opened == nil:
		w.count(t)
		w.unread(t, &infos, &fs.PathError{Op: "compare", Path: w.batch.pair.sides[0].Path(t.name), Err: errChanged})
		return
	}
	w.count(t)
	d := answer.FolderDifference{}
	switch {
	case kind.IsRegular() && a.SameFile(b):
		w.batch.sum.Skipped += a.Bytes
	case a.SameFile(b): // also if it cannot be read
	case kind.IsRegular() && a.Bytes != b.Bytes:
		d.Kind = answer.DifferentSize
	case kind.IsRegular():
		w.unread(t, &infos, opened)
		return
	case kind&fs.ModeSymlink != 0:
		var targets [2]string
		for i, side := range w.batch.pair.sides {
			targets[i], errs[i] = side.Target(t.name)
		}
		if err := errors.Join(errs[0], errs[1]); err != nil {
			w.unread(t, &infos, err)
			return
		}
		if targets[0] != targets[1] {
			d = answer.FolderDifference{Kind: answer.DifferentTarget, A: entryOf(a), B: entryOf(b)}
			d.A.Target, d.B.Target = targets[0], targets[1]
		}
	}
	w.ended(t, &infos, d)
}

// count counts a name that both folders have.
func (w *worker) count(t *task) {
	if !t.kinds[0].IsDir() || !t.kinds[1].IsDir() {
		w.batch.sum.Files++
	}
}

// ended counts a name that both have, and reports whether it differs, and whether what is asked for besides does.
func (w *worker) ended(t *task, infos *[2]source.Info, d answer.FolderDifference) {
	meta := w.meta(&infos[0], &infos[1])
	if d.Kind != 0 {
		w.differ(t, infos, d)
	}
	if meta != nil {
		w.differ(t, infos, answer.FolderDifference{Kind: answer.DifferentMeta, Meta: meta})
	}
	if d.Kind != 0 || meta != nil {
		w.batch.sum.Changed++
	}
}

// differ reports a difference of a name that both have.
func (w *worker) differ(t *task, infos *[2]source.Info, d answer.FolderDifference) {
	if d.A == nil {
		d.A, d.B = entryOf(&infos[0]), entryOf(&infos[1])
	}
	w.report(t, d)
}

// meta returns what differs of permissions, owners and times, as far as that is asked for.
func (w *worker) meta(a, b *source.Info) (differs []string) {
	const bits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	link := a.Mode&fs.ModeSymlink != 0 // its permissions mean nothing
	if w.Options.Mode && !link && a.Mode&bits != b.Mode&bits {
		differs = append(differs, "mode")
	}
	if w.Options.Owner && (a.Owner != b.Owner || a.Group != b.Group) {
		differs = append(differs, "owner")
	}
	if w.Options.Modified && !sameTime(a, b) {
		differs = append(differs, "mtime")
	}
	return differs
}

// sameTime compares times of modification, to the second where one has no fraction.
func sameTime(a, b *source.Info) bool {
	if a.Modified.Nanosecond() == 0 || b.Modified.Nanosecond() == 0 {
		return a.Modified.Unix() == b.Modified.Unix()
	}
	return a.Modified.Equal(b.Modified)
}

func entryOf(i *source.Info) *answer.Entry {
	e := &answer.Entry{Mode: i.Mode, Owner: i.Owner, Group: i.Group, Modified: i.Modified}
	if i.Mode.IsRegular() {
		e.Bytes = i.Bytes
	}
	if i.Mode&fs.ModeDevice != 0 {
		e.Device = i.Device
	}
	return e
}
