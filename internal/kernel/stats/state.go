package stats

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/stats/exact"
)

// State is a Summary in a form that can be sent to another process. The sums are exact.
type State struct {
	Type        string
	N, NaN, Inf uint64
	Min, Max    uint64 // ranks
	Ints        exact.IntState
	Floats      exact.FloatState
}

// State returns the summary's state.
func (s *Summary) State() *State {
	return &State{Type: s.typ.String(), N: s.all.n, NaN: s.all.nan, Inf: s.all.inf, Min: s.all.min, Max: s.all.max,
		Ints: s.all.ints.State(), Floats: s.all.floats.State()}
}

// AddState adds what another summary of the same type has summarized.
func (s *Summary) AddState(o *State) error {
	if s.typ.String() != o.Type {
		return fmt.Errorf("a summary of %v cannot add one of %s", s.typ, o.Type)
	}
	floats, err := o.Floats.Float()
	if err != nil {
		return err
	}
	s.all.merge(&totals{n: o.N, nan: o.NaN, inf: o.Inf, min: o.Min, max: o.Max, ints: o.Ints.Int(), floats: floats})
	return nil
}
