package group

import (
	"context"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Merge yields every group of all tables once, in ascending order of the bytes of its key, on
// the calling goroutine. key and words are valid only during the call of yield; handles in
// words belong to the store that is passed. All tables must have the same layout except for
// their stores. Merge consumes the tables: afterwards they can only be closed. Merge ends with
// the error of ctx when ctx ends, and with the error of yield when yield fails.
func Merge(ctx context.Context, tables []*Table, workers int,
	yield func(key []byte, words []uint64, store ObjectStore) error) error {
	if len(tables) == 0 {
		return nil
	}
	for _, t := range tables {
		t.mustLive()
	}
	return anyDied(tables, merge(ctx, tables, workers, yield))
}

func merge(ctx context.Context, tables []*Table, workers int,
	yield func(key []byte, words []uint64, store ObjectStore) error) error {
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

// spillObjects spills all tables if one of them has spilled objects, and reports whether it did.
// After that the stores only hold objects that were just decoded, and can be emptied again and
// again.
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

// sortAll sorts the groups that the tables hold in memory, several tables at once.
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

// allSources returns sources for the groups in memory and for all runs. The buffers of all
// runs together take about bufBytes.
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

// readBytesMin and readBytesMax bound the bytes read from a run at once.
var (
	readBytesMin = threshold.New("group: fewest bytes read of a run", 512, 1)
	readBytesMax = threshold.New("group: most bytes read of a run", 1<<20, 1)
)

// ioBytes returns the memory that all tables together reserve for buffers.
func ioBytes(tables []*Table) (n int) {
	for _, t := range tables {
		n += t.ioBytes
	}
	return n
}
