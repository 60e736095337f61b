package report

import (
	"path/filepath"

	"github.com/thresh-dev/thresh/lab"
)

// executionTable shows how the goroutines of variants were scheduled, from execution traces.
func executionTable(all []profiled) table {
	t := table{
		Caption: "Goroutines and garbage collection, from execution traces",
		Columns: columns("variant|#seconds|#goroutines started|#most at once|#running, on average|" +
			"#wait for a processor, median µs|#99th percentile µs|#longest µs|#garbage collections|" +
			"#garbage collection, % of running time|#world stopped, ms"),
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
