package group

import (
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// fanIn is how many runs of about the same size are merged into one. So even a table that
// spills very often writes each group only a few times, and Merge reads a few dozen runs per
// level at once, whatever the size of the input.
var fanIn = threshold.New("group: runs that become one", 64, 2)

// writeBytesMax is the size of the largest write.
var writeBytesMax = threshold.New("group: bytes written at once", 1<<20, 1)

// spilled is a table's temporary file, with its runs one after the other.
type spilled struct {
	file   *spill.File
	end    int64
	runs   []run
	buffer []byte // of the writer, reused for every run
}

// run is a section of the file: groups in ascending order of their keys.
type run struct {
	off, end int64
	level    int    // how many times its groups were merged
	marks    []mark // positions where a reader may start, ascending
}

func newSpilled(dir spill.Dir) (*spilled, error) {
	f, err := spill.New(dir, "thresh-group-*", "groups")
	if err != nil {
		return nil, err
	}
	return &spilled{file: f}, nil
}

// spill writes all groups to the temporary file and empties the table.
func (t *Table) spill() error {
	if t.spilled == nil {
		s, err := newSpilled(t.tempDir)
		if err != nil {
			return err
		}
		t.spilled = s
	}
	t.objects = t.holdsObjects()
	held := []*source{{table: t, pairs: t.sort()}}
	if err := t.writeRun(held, 0); err != nil {
		return err
	}
	if t.layout.Store != nil { // from now on, objects may use the memory that the groups used
		anon.Discard(t.laid)
	}
	t.reset()
	return t.compact()
}

// holdsObjects reports whether the table has any object, or had one when it spilled. Many layouts
// allow objects but few tables have any.
func (t *Table) holdsObjects() bool {
	return t.objects || t.layout.Store != nil && t.layout.Store.Bytes() > 0
}

// compact merges the last fanIn runs, as long as there are that many of the same level.
func (t *Table) compact() error {
	for fanIn := fanIn.Get(); ; {
		runs := t.spilled.runs
		n := len(runs) - fanIn
		if n < 0 || runs[n].level != runs[len(runs)-1].level {
			return nil
		}
		var sources []*source
		for i := range runs[n:] {
			sources = append(sources, newRunSource(t, &runs[n+i], t.ioBytes/2/fanIn))
		}
		if err := t.writeRun(sources, runs[n].level+1); err != nil {
			return err
		}
		merged := t.spilled.runs[len(runs)]
		t.spilled.runs = append(t.spilled.runs[:n], merged)
		if t.layout.Store != nil {
			t.layout.Store.Reset()
		}
	}
}

// writeRun merges sources of this table into a new run. Afterwards no object in the table's
// store is needed.
func (t *Table) writeRun(sources []*source, level int) error {
	w := newWriter(t.spilled, min(t.ioBytes/2, writeBytesMax.Get()))
	var objects []byte
	m, err := newMerger(t.layout, sources)
	if err != nil {
		return err
	}
	for {
		ok, err := m.next(nil)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if objects, err = t.appendObjects(objects[:0], m.words); err != nil {
			return err
		}
		if err := w.add(m.key, m.words, objects); err != nil {
			return err
		}
		if level > 0 {
			t.forgetObjects()
		}
	}
	r, err := w.finish()
	if err != nil {
		return err
	}
	r.level = level
	t.spilled.runs = append(t.spilled.runs, r)
	return nil
}

// forgetBytes limits the objects decoded from runs, in bytes. The size of the buffers is another
// limit; the smaller one counts.
var forgetBytes = threshold.New("group: bytes of decoded objects before they are dropped", 1<<30, 1)

// forgetObjects drops the objects decoded from runs when they exceed the limit.
func (t *Table) forgetObjects() {
	if t.layout.Store != nil && t.layout.Store.Bytes() > int64(min(t.ioBytes, forgetBytes.Get())) {
		t.layout.Store.Reset()
	}
}
