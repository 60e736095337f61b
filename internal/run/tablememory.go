package run

import (
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/plan"
)

// The memory bound of a table is divided between its operators (groups, records that are sorted or wait to be printed)
// and the scan that feeds them. How much each of them needs at least is known when the questions are compiled. If that
// is more than the bound for all workers, there are fewer.

// tableMemory is what a table needs of a memory bound.
type tableMemory struct {
	workers   int
	chunk     int64 // bytes of a piece of a stream, if that was asked for
	worker    int64 // bytes of a worker of the scan; 0 before the questions are compiled
	operators int64 // the least for those of a worker
}

const (
	mib = 1 << 20
	// readerBytes is what a worker reads into: the most of the engines that do with little.
	readerBytes = 5 * mib / 2
)

// leastScan returns the least that the scan needs.
func (m tableMemory) leastScan() int64 {
	return plan.LeastBaseBytes + int64(m.workers)*(m.worker+readerBytes+m.chunk)
}

// least returns the least bound.
func (m tableMemory) least() int64 { return m.leastScan() + int64(m.workers)*m.operators }

// scan returns the share of the scan. It is half of the bound, but no more than many workers need, except that it is
// at least a quarter, because compressed files may have large windows. Of a small bound it is what it needs.
func (m tableMemory) scan(bound int64) int64 {
	most := max(80*mib, 64*mib+int64(m.workers)*(8*mib+m.chunk), bound/4)
	return min(max(min(most, bound/2), m.leastScan()), bound-int64(m.workers)*m.operators)
}

// base returns how much of the share of the scan is for what does not belong to a worker. One third of what there is
// beyond the least is for workers: readers may go further ahead, and decompressors have larger windows.
func (m tableMemory) base(scan int64) int64 {
	return min(plan.BaseBytes, plan.LeastBaseBytes+max(scan-m.leastScan(), 0)/3*2)
}

// share divides the bound, and returns what the operators of this table get.
func (t *tableRun) share(bound int64) int64 {
	t.options.MemoryBytes = t.memory.scan(bound)
	return (bound - t.options.MemoryBytes) / int64(max(1, t.bound.Tables))
}

// divide divides the bound by what the compiled questions need, with fewer workers if it is too small for all, unless
// their number was asked for. Only a bound that was asked for is an error if it is too small for one.
func (t *tableRun) divide(kind source.Kind) error {
	m := &t.memory
	if m.worker > 0 {
		return nil
	}
	if kind != source.Stream {
		m.chunk = 0
	}
	all := m.workers
	m.worker, m.operators = t.run.WorkerBytes(), t.run.LeastBytes()*int64(max(1, t.bound.Tables))
	for m.least() > t.bound.MemoryBytes && m.workers > 1 && t.bound.Workers == 0 {
		m.workers--
	}
	if m.least() > t.bound.MemoryBytes && t.asked {
		return &failure.MemoryError{Need: m.least(), Bound: t.bound.MemoryBytes, Workers: m.workers, Why: t.bound.memoryWhy}
	}
	bound := max(t.bound.MemoryBytes, m.least())
	if m.workers < all {
		t.options.Workers = m.workers
		t.options.fewerWhy = fmt.Sprintf("%s instead of %d: more do not fit into %s",
			numeral.Count(m.workers, "worker"), all, bytesize.Precise(t.bound.MemoryBytes))
	}
	t.run.Limit(m.workers, t.share(bound))
	return nil
}

// outOfMemory translates a scan's memory error: it names the bound that the caller gave, and the least bound whose
// share for the scan is enough.
func (t *tableRun) outOfMemory(err error) error {
	var e *failure.MemoryError
	if !errors.As(err, &e) || e.Engine == "" {
		return err
	}
	const enough = 1 << 44
	need := t.bound.MemoryBytes &^ (mib - 1)
	for t.memory.scan(need) < e.Need && need < enough {
		need += mib
	}
	return &failure.MemoryError{Need: need, Bound: t.bound.MemoryBytes, Engine: e.Engine, Workers: e.Workers, Why: e.Why}
}
