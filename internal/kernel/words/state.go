package words

// State is a Summary in a form that can be sent to another process.
type State struct {
	Lines, Chars int64
	Words        [2]int64 // for a piece that begins outside a word, and inside one
	Turns        [2]bool  // whether the piece ends in the other state
}

// State returns the summary's state.
func (s *Summary) State() *State { return &State{s.Lines, s.Chars, s.words, s.turns} }

// Summary returns the summary of a state.
func (s *State) Summary() Summary { return Summary{s.Lines, s.Chars, s.Words, s.Turns} }
