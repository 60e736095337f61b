package table

import "github.com/thresh-dev/thresh/internal/kernel/fields/records"

// operator is what a worker does with the records that it has found. All operators of one kind and question are merged
// after the last record.
type operator interface {
	// add takes the selected records of the worker's batch. After an error the run ends.
	add(w *worker, sel records.Selection) error
	// Close frees what it holds besides memory of the collector.
	Close() error
}

// operatorsOf returns the operators of all workers of a kind, those that are for a question.
func operatorsOf[O operator](r *Run, isFor func(O) bool) (all []O) {
	for _, w := range r.all {
		for _, o := range w.operators {
			if o, ok := o.(O); ok && isFor(o) {
				all = append(all, o)
			}
		}
	}
	return all
}
