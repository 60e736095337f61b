package report

import (
	"path/filepath"

	"github.com/thresh-dev/thresh/lab"
)

// executionTable shows how the goroutines of variants were scheduled, from execution traces.
func executionTable(all []profiled) table {
	t := table{
		Caption: "Goroutines and garbage collection, from execution traces",
		Columns: []column{
			{"variant", false}, {"seconds", true}, {"goroutines started", true}, {"most at once", true},
			{"running, on average", true}, {"wait for a processor, median µs", true}, {"99th percentile µs", true},
			{"longest µs", true}, {"garbage collections", true}, {"garbage collection, % of running time", true},
			{"world stopped, ms", true},
		},
	}
	for _, p := range all {
		x := p.measurement.Profile.Execution
		if x == nil {
			continue
		}
		name := cell{Text: p.title(), Small: filepath.Base(x.File)}
		t.Rows = append(t.Rows, tableRow{Cells: append([]cell{name}, executed(x)...)})
	}
	return t
}

// executed has the figures of a trace.
func executed(x *lab.Execution) []cell {
	const micro, milli, percent = 1e6, 1e3, 100
	var cells []cell
	for _, v := range []float64{
		x.Seconds, float64(x.Goroutines), float64(x.GoroutinesMost), x.Running,
		micro * x.WaitMedian, micro * x.Wait99, micro * x.WaitMax,
		float64(x.GCs), percent * x.GCShare, milli * x.Pauses,
	} {
		cells = append(cells, value(v))
	}
	return cells
}
