package cluster

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/count"
)

// Default sizes. A worker scans a cell with all its cores, and so a cell is large enough that neither its
// beginning nor its end, where cores wait for each other, matters. A range is what a runner gives to a worker.
const (
	cellBytesDefault  = 512 << 20
	rangeBytesDefault = 1 << 30
	// Each cell is remembered by the driver, and reported to it.
	cellsMax = 1_000_000
)

// Plan is what all workers of a job know about a question. It is sent with the pipeline.
type Plan struct {
	Question   Question
	Inputs     []Input
	CellBytes  int64 // a multiple of the distance between typed values
	Head       run.TableHead
	States     [][]fields.State // of quoted tables: by input and cell, the state at its beginning
	Driver     string           // address of the driver's channel
	S3Endpoint string           // see Options
	Trial      string           // see trialVariable
}

// cells returns how many cells an input has: at least one.
func (p *Plan) cells(input int) int64 {
	in := p.Inputs[input]
	if in.Whole || in.Bytes == 0 {
		return 1
	}
	return (in.Bytes + p.CellBytes - 1) / p.CellBytes
}

// allCells returns how many cells all inputs have.
func (p *Plan) allCells() (n int64) {
	for i := range p.Inputs {
		n += p.cells(i)
	}
	return n
}

// check returns an error if the plan has so many pieces that managing them is all that the job does.
func (p *Plan) check() error {
	all, inputs := p.allCells(), int64(len(p.Inputs))
	switch {
	case all-inputs > cellsMax:
		return fmt.Errorf("--cell %d cuts %s into %d pieces, and at most %d are possible: give a greater one",
			p.CellBytes, bytesize.Short(p.bytes()), all, cellsMax)
	case all > inputs && p.Question.Verb == Table:
		return p.Question.Spec.inParts()
	}
	return nil
}

// bytes returns the size of all inputs.
func (p *Plan) bytes() (n int64) {
	for i := range p.Inputs {
		n += p.Inputs[i].Bytes
	}
	return n
}

// Cell is a range of an input.
type Cell struct {
	Input    int
	Number   int64
	Off, End int64
}

// cell returns a cell of an input. That of a whole input ends with the input, wherever that is.
func (p *Plan) cell(input int, number int64) Cell {
	c := Cell{Input: input, Number: number, Off: number * p.CellBytes}
	c.End = min(c.Off+p.CellBytes, p.Inputs[input].Bytes)
	if p.Inputs[input].Whole {
		c.Off, c.End = 0, p.Inputs[input].Bytes
	}
	return c
}

// Range is an element of the pipeline: some neighbouring cells of an input.
type Range struct {
	Question int // its number in the job
	Input    int
	From, To int64 // cells
}

// ranges returns the elements.
func (p *Plan) ranges(rangeBytes int64) (all []Range) {
	step := max(rangeBytes/p.CellBytes, 1)
	for i := range p.Inputs {
		for from, n := int64(0), p.cells(i); from < n; from += step {
			all = append(all, Range{Input: i, From: from, To: min(from+step, n)})
		}
	}
	return all
}

// state returns the state in which a table's cell begins.
func (p *Plan) state(c Cell) fields.State {
	if c.Input >= len(p.States) || c.Number >= int64(len(p.States[c.Input])) {
		return fields.AtField
	}
	return p.States[c.Input][c.Number]
}

// cellBytesFor rounds the size of a cell up, so that no typed value begins in one cell and ends in the next if
// that can be avoided.
func (q *Question) cellBytesFor(n int64) int64 {
	unit := int64(8)
	if stride := q.Asked.Values.Stride; stride > 0 {
		unit = stride
	}
	return max((n+unit-1)/unit*unit, unit)
}

// setStates takes the states of all cells from their summaries.
func (p *Plan) setStates(summaries *Partial) error {
	p.States = make([][]fields.State, len(p.Inputs))
	for i, in := range p.Inputs {
		counts := summaries.input(i).Counts
		if n := p.cells(i); int64(len(counts)) != n {
			return fmt.Errorf("%s: %d of %d cells have a summary", in.Name, len(counts), n)
		}
		sortCounts(counts)
		var err error
		if p.States[i], err = states(counts, p.Question.Spec.Dialect.Delim); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	return nil
}

// states composes the summaries of the cells of a quoted table: an input begins outside quotes.
func states(cells []*count.Partial, delim byte) ([]fields.State, error) {
	all := make([]fields.State, len(cells))
	state := fields.AtField
	d := fields.Dialect{Delim: delim, Quote: '"', Quoted: true}
	for i, c := range cells {
		all[i] = state
		if i == 0 { // what may be a byte-order mark is summarized when it is known whether it is one
			first := rows.Best().Summarize(withoutMark(c.First), d)
			state = first.After(state)
		}
		if c.Rows != nil {
			sum, err := c.Rows.Summary()
			if err != nil {
				return nil, err
			}
			state = sum.After(state)
		}
	}
	return all, nil
}
