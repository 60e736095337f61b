package exact

import "fmt"

// IntState is an Int in a form that can be sent to another process: High * 2^64 + Low.
type IntState struct {
	High int64
	Low  uint64
}

// State returns the sum's state.
func (s *Int) State() IntState { return IntState{s.hi, s.lo} }

// Int returns the sum of a state.
func (s IntState) Int() Int { return Int{s.High, s.Low} }

// FloatState is a Float in a form that can be sent to another process.
type FloatState struct {
	Chunks              []int64 // from the lowest; carries are propagated; nil if the sum is 0
	PosInf, NegInf, NaN bool
}

// State returns the sum's state.
func (f *Float) State() FloatState {
	sum := *f
	sum.carry()
	s := FloatState{PosInf: f.posInf, NegInf: f.negInf, NaN: f.nan}
	if sum.chunk != [chunks]int64{} {
		s.Chunks = sum.chunk[:]
	}
	return s
}

// Float returns the sum of a state.
func (s FloatState) Float() (f Float, err error) {
	if n := len(s.Chunks); n != 0 && n != chunks {
		return f, fmt.Errorf("a sum of %d chunks instead of %d", n, chunks)
	}
	copy(f.chunk[:], s.Chunks)
	f.posInf, f.negInf, f.nan = s.PosInf, s.NegInf, s.NaN
	return f, nil
}
