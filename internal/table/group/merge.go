package group

import (
	"context"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Merge yields every group of all tables once, in ascending order of the bytes of its key,
// on the goroutine that called it. Key and words are valid during the call of yield only;
// handles of objects mean something in the store that it gets. All tables have the same
// layout but for their stores. Merge uses the tables up: all that can be done with them
// then is to close them. When ctx ends, so does Merge, with its error; an error of yield
// ends it as well.
func Merge(ctx context.Context, tables []*Table, workers int,
	yield func(key []byte, words []uint64, store ObjectStore) error) error {
	if len(tables) == 0 {
		return nil
	}
	decoding, err := spillObjects(tables)
	if err != nil {
		return err
	}
	sortAll(tables, workers)
	if p := planParts(tables, workers); len(p.parts) > 1 {
		return p.merge(ctx, yield)
	}
	m, err := newMerger(tables[0].layout, allSources(tables, ioBytes(tables)/2))
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ok, err := m.next(nil)
		if !ok {
			return err
		}
		if err := yield(m.key, m.words, m.store); err != nil {
			return err
		}
		if decoding {
			for _, t := range tables {
				t.forgetObjects()
			}
		}
	}
}

// spillObjects spills all tables if one of them has spilled objects, and reports whether
// that is so: then stores hold nothing but what was just decoded, and can be emptied again
// and again.
func spillObjects(tables []*Table) (bool, error) {
	spilled := false
	for _, t := range tables {
		spilled = spilled || t.spilled != nil
	}
	if !anyObjects(tables) || !spilled {
		return false, nil
	}
	for _, t := range tables {
		if t.groups > 0 {
			if err := t.spill(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func anyObjects(tables []*Table) bool { return slices.ContainsFunc(tables, (*Table).holdsObjects) }

// sortAll sorts what the tables hold, several at once.
func sortAll(tables []*Table, workers int) {
	var running sync.WaitGroup
	turn := make(chan struct{}, max(workers, 1))
	for _, t := range tables {
		turn <- struct{}{}
		running.Go(func() {
			t.sort()
			if t.spilled != nil {
				t.spilled.buffer = nil // nothing is written any more
			}
			<-turn
		})
	}
	running.Wait()
}

// allSources returns what the tables hold and have spilled, with buffers of so many bytes
// for all of them.
func allSources(tables []*Table, bufBytes int) (sources []*source) {
	runs := 0
	for _, t := range tables {
		if t.groups > 0 {
			sources = append(sources, &source{table: t, pairs: t.pairs})
		}
		if t.spilled != nil {
			runs += len(t.spilled.runs)
		}
	}
	for _, t := range tables {
		if t.spilled == nil {
			continue
		}
		bytes := min(max(bufBytes/runs, readBytesMin.Get()), readBytesMax.Get())
		for i := range t.spilled.runs {
			sources = append(sources, newRunSource(t, &t.spilled.runs[i], bytes))
		}
	}
	return sources
}

// readBytesMin and readBytesMax are the least and the most that is read of a run at once.
var (
	readBytesMin = threshold.New("group: fewest bytes read of a run", 512, 1)
	readBytesMax = threshold.New("group: most bytes read of a run", 1<<20, 1)
)

// ioBytes is the memory that all tables leave for buffers.
func ioBytes(tables []*Table) (n int) {
	for _, t := range tables {
		n += t.ioBytes
	}
	return n
}
