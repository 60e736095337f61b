package order

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Merge cuts the keys into parts of about the same size, at marks of the runs. Workers merge parts, each a part at
// a time, and hand them over in order.

// Rows are the texts of rows in their order.
type Rows struct {
	Text []byte
	Ends []int // of each row in Text
	err  error
}

// From returns the rows without the first n.
func (r Rows) From(n int) Rows {
	if n == 0 {
		return r
	}
	from := r.Ends[n-1]
	ends := slices.Clone(r.Ends[n:])
	for i := range ends {
		ends[i] -= from
	}
	return Rows{Text: r.Text[from:], Ends: ends}
}

// To returns the first n rows.
func (r Rows) To(n int) Rows {
	if n == 0 {
		return Rows{}
	}
	return Rows{Text: r.Text[:r.Ends[n-1]], Ends: r.Ends[:n]}
}

// Each calls visit with the rows, until it returns an error.
func (r Rows) Each(visit func(row []byte) error) error {
	from := 0
	for _, to := range r.Ends {
		if err := visit(r.Text[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

var (
	partBytes = threshold.New("order: bytes of rows merged at once", 4<<20, 1)
	readBytes = threshold.New("order: fewest bytes read of a run", 8<<10, 1)
)

// Merge yields the rows of all sorters in their order, some at a time, on the calling goroutine. They are valid until
// yield returns, whose error ends the merge. No row may be added afterwards.
func Merge(ctx context.Context, sorters []*Sorter, workers int, yield func(Rows) error) error {
	runs, err := finish(sorters)
	if err != nil || len(runs) == 0 {
		return err
	}
	var memBytes int64
	for _, s := range sorters {
		memBytes += s.MemBytes
	}
	if runs, err = compact(sorters[0], runs, memBytes); err != nil {
		return err
	}
	// A half of the memory is for what is read, the rest for what is merged and waits.
	workers = int(max(1, min(int64(workers), memBytes/2/int64(len(runs)*readBytes.Get()))))
	p := parts{runs: runs, readBytes: int(memBytes / 2 / int64(workers*len(runs)))}
	part := max(min(int64(partBytes.Get()), memBytes/4/int64(2*workers)), 1)
	if largest := p.plan(part); largest > 4*part { // too large to be kept whole
		return p.stream(ctx, int(part), yield)
	}
	return p.merge(ctx, min(workers, len(p.lows)), yield)
}

// stream merges all runs at once, and yields rows whenever there are so many bytes.
func (p *parts) stream(ctx context.Context, bytes int, yield func(Rows) error) error {
	var out Rows
	flush := func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := yield(out)
		out.Text, out.Ends = out.Text[:0], out.Ends[:0]
		return err
	}
	m := merger{runs: p.runs, readBytes: p.readBytes}
	err := m.each(nil, nil, func(c *cursor) error {
		out.Text = append(out.Text, c.text...)
		if out.Ends = append(out.Ends, len(out.Text)); len(out.Text) < bytes {
			return nil
		}
		return flush()
	})
	if err != nil || len(out.Ends) == 0 {
		return err
	}
	return flush()
}

// finish returns the runs of all sorters. If none has a file, they are in memory. Otherwise all rows go to files,
// so that the memory can be used to read them.
func finish(sorters []*Sorter) (runs []run, err error) {
	spilled := slices.ContainsFunc(sorters, func(s *Sorter) bool { return s.file != nil })
	errs := make([]error, len(sorters))
	last := make([]run, len(sorters))
	var running sync.WaitGroup
	for i, s := range sorters {
		running.Go(func() {
			s.cut()
			if !spilled {
				last[i] = s.inMemory()
			} else if errs[i] = s.spill(); errs[i] == nil {
				s.writer = nil
				errs[i] = s.unmap()
			}
		})
	}
	running.Wait()
	for i, s := range sorters {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if last[i].end > 0 {
			runs = append(runs, last[i])
		}
		runs = append(runs, s.runs...)
	}
	return runs, nil
}

// compact merges runs as long as there are too many to read all of them at once. The new ones are in the file of s.
func compact(s *Sorter, runs []run, memBytes int64) ([]run, error) {
	most := int(max(2, memBytes/2/int64(readBytes.Get())))
	for len(runs) > most && runs[0].sorted == nil {
		first := runs[:min(most, len(runs)-most+1)]
		s.runs = nil
		w, err := s.newRun()
		if err != nil {
			return nil, err
		}
		m := merger{runs: first, readBytes: int(memBytes / 2 / int64(len(first)))}
		var written []byte
		err = m.each(nil, nil, func(c *cursor) error {
			written = appendRow(written[:0], c.key, c.text)
			return w.add(c.key, written)
		})
		if err == nil {
			err = w.end()
		}
		if err != nil {
			return nil, err
		}
		runs = append(slices.Clone(runs[len(first):]), s.runs...)
	}
	return runs, nil
}

// parts is a merge in parts.
type parts struct {
	runs      []run
	readBytes int      // of a run at once
	lows      [][]byte // the least key of each part; the first is nil
}

// plan cuts the keys into parts of about so many bytes, and returns the size of the largest. Runs in memory count a
// mark as if it were half of that.
func (p *parts) plan(bytesOfPart int64) (largest int64) {
	type weight struct {
		key   []byte
		bytes int64
	}
	var all []weight
	for _, r := range p.runs {
		for i, m := range r.marks {
			next := r.end
			if i+1 < len(r.marks) {
				next = r.marks[i+1].at
			}
			bytes := next - m.at
			if r.sorted != nil {
				bytes = bytesOfPart / 2
			}
			all = append(all, weight{m.key, bytes})
		}
	}
	slices.SortFunc(all, func(a, b weight) int { return bytes.Compare(a.key, b.key) })
	p.lows = [][]byte{nil}
	var sum int64
	for _, w := range all {
		// Reading a part begins a mark before it in each run, so small parts would read most of what they read in
		// vain.
		if sum >= max(bytesOfPart, int64(len(p.runs))*w.bytes) {
			p.lows = append(p.lows, w.key)
			sum = 0
		}
		sum += w.bytes
		if p.runs[0].sorted == nil {
			largest = max(largest, sum)
		}
	}
	return largest
}

// merge merges the parts.
func (p *parts) merge(ctx context.Context, workers int, yield func(Rows) error) error {
	ahead := workers + 1
	todo, free := make(chan int, ahead), make(chan Rows, ahead)
	done := make([]chan Rows, len(p.lows))
	for i := range done {
		done[i] = make(chan Rows, 1)
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			m := merger{runs: p.runs, readBytes: p.readBytes}
			for i := range todo {
				var out Rows
				select {
				case out = <-free:
				default:
				}
				out.Text, out.Ends = out.Text[:0], out.Ends[:0]
				out.err = m.each(p.lows[i], p.high(i), func(c *cursor) error {
					out.Text = append(out.Text, c.text...)
					out.Ends = append(out.Ends, len(out.Text))
					return nil
				})
				done[i] <- out
			}
		})
	}
	defer running.Wait()
	defer close(todo)
	begun := 0
	for i := range p.lows {
		for ; begun < min(i+ahead, len(p.lows)); begun++ {
			todo <- begun
		}
		out := <-done[i]
		if out.err != nil {
			return out.err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := yield(out); err != nil {
			return err
		}
		free <- out
	}
	return nil
}

// high returns the key before which a part ends, nil for the last one.
func (p *parts) high(i int) []byte {
	if i+1 < len(p.lows) {
		return p.lows[i+1]
	}
	return nil
}

// merger merges runs. Its memory is used again.
type merger struct {
	runs      []run
	readBytes int
	cursors   []cursor
	heap      []*cursor // the first has the least key
}

// each visits the rows whose keys are not less than low and less than high; nil is no bound.
func (m *merger) each(low, high []byte, visit func(*cursor) error) error {
	if m.cursors == nil {
		m.cursors = make([]cursor, len(m.runs))
		for i := range m.cursors {
			if m.runs[i].sorted == nil {
				m.cursors[i].buf = make([]byte, m.readBytes)
			}
		}
	}
	m.heap = m.heap[:0]
	for i := range m.cursors {
		c := &m.cursors[i]
		ok, err := c.begin(&m.runs[i], low)
		if err != nil {
			return err
		}
		if ok && c.before(high) {
			m.heap = append(m.heap, c)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	for len(m.heap) > 0 {
		c := m.heap[0]
		if err := visit(c); err != nil {
			return err
		}
		ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok || !c.before(high) {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		m.down(0)
	}
	return nil
}

// before reports whether the current row comes before a key.
func (c *cursor) before(high []byte) bool { return high == nil || bytes.Compare(c.key, high) < 0 }

func (c *cursor) less(o *cursor) bool {
	if c.prefix != o.prefix {
		return c.prefix < o.prefix
	}
	return bytes.Compare(c.key, o.key) < 0
}

// down restores the order of the heap below a cursor whose row has changed.
func (m *merger) down(i int) {
	for {
		least := 2*i + 1
		if least >= len(m.heap) {
			return
		}
		if right := least + 1; right < len(m.heap) && m.heap[right].less(m.heap[least]) {
			least = right
		}
		if !m.heap[least].less(m.heap[i]) {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
