//go:build !linux

package catalog

import "github.com/thresh-dev/thresh/lab"

// comparisons are none: this system does not tell what is in the page cache.
func comparisons() []*lab.Experiment { return nil }
