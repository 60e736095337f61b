package catalog

import (
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/versus"
)

// comparisons are the experiments beside the articles': they need to know what is in the page cache.
func comparisons() []*lab.Experiment { return versus.Experiments() }
