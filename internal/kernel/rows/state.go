package rows

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// State is a Summary in a form that can be sent to another process: by the state in which the piece begins
// (AtField, InField, InQuotes), how many line feeds end a record, and the state after the piece.
type State struct {
	Lines int64
	Feeds [states]int64
	After [states]fields.State
}

// State returns the summary's state.
func (s *Summary) State() *State {
	all := &State{Lines: s.Lines, Feeds: s.feeds}
	for i := range all.After {
		all.After[i] = s.After(fields.State(i))
	}
	return all
}

// Summary returns the summary of a state.
func (s *State) Summary() (all Summary, err error) {
	all.Lines, all.feeds = s.Lines, s.Feeds
	for i, after := range s.After {
		if int(after) >= fields.States {
			return all, fmt.Errorf("a summary of records ends in the unknown state %d", after)
		}
		all.turns[i] = fields.State(i) ^ simple(after)
	}
	return all, nil
}
