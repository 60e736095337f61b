// Package catalog lists the experiments. File ids.txt has the IDs of all variants that the articles describe;
// a test compares it with the list.
package catalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/concurrency"
	"github.com/thresh-dev/thresh/lab/copy"
	"github.com/thresh-dev/thresh/lab/donations"
	"github.com/thresh-dev/thresh/lab/needle"
	"github.com/thresh-dev/thresh/lab/simd"
	"github.com/thresh-dev/thresh/lab/tens"
)

//go:embed ids.txt
var ids string

// IDs returns the IDs that the project keeps, in the articles' order.
func IDs() (all []string) {
	for line := range strings.Lines(ids) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// Named returns the experiments with these names, in the order of All; without names all that are not run only
// if they are asked for.
func Named(names ...string) ([]*lab.Experiment, error) {
	all := All()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(e *lab.Experiment) bool { return e.Aside }), nil
	}
	var known []string
	for _, e := range all {
		known = append(known, e.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no experiment is called %q (known: %s)", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(e *lab.Experiment) bool { return !slices.Contains(names, e.Name) }), nil
}

// All returns all experiments, in the order in which they are run and shown.
func All() []*lab.Experiment {
	return append([]*lab.Experiment{
		needle.Experiment(), donations.Experiment(), tens.Experiment(), copy.Experiment(), simd.Experiment(),
		concurrency.Experiment(),
	}, comparisons()...)
}
