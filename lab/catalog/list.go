package catalog

import (
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/concurrency"
	"github.com/thresh-dev/thresh/lab/copy"
	"github.com/thresh-dev/thresh/lab/donations"
	"github.com/thresh-dev/thresh/lab/needle"
	"github.com/thresh-dev/thresh/lab/simd"
	"github.com/thresh-dev/thresh/lab/tens"
)

// All returns all experiments, in the order in which they are run and shown.
func All() []*lab.Experiment {
	return append([]*lab.Experiment{
		needle.Experiment(), donations.Experiment(), tens.Experiment(), copy.Experiment(), simd.Experiment(),
		concurrency.Experiment(),
	}, comparisons()...)
}
