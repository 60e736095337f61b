// Package fault lets tests make the system refuse: the n-th call of a kind, and if the test says so all that follow,
// returns an error instead of being made. Code asks it right before a call that may fail for want of space, memory or
// rights. Nothing is ever injected outside tests, and asking then costs one load.
package fault

import (
	"fmt"
	"sync/atomic"
)

// Op is a kind of call.
type Op string

// The kinds of calls that can be refused.
const (
	CreateTemp Op = "create a temporary file"
	WriteTemp  Op = "write to a temporary file"
	ReadTemp   Op = "read from a temporary file"
	Map        Op = "map memory"
	CreateOut  Op = "create an output file"
	WriteOut   Op = "write to an output file"
	SyncOut    Op = "sync an output file"
	CloseOut   Op = "close an output file"
	LinkOut    Op = "link an output file"
	RenameOut  Op = "rename an output file"
	WriteLog   Op = "write to a journal"
	SyncLog    Op = "sync a journal"
	CutLog     Op = "truncate a journal"
)

// Plan says which calls are refused.
type Plan struct {
	Op    Op    // "" for all kinds
	Nth   int64 // the first call that is refused, from 1; 0 for none
	Stays bool  // all calls of the kind after it are refused, too, as on a full disk
	Err   error

	calls   atomic.Int64
	refused atomic.Int64
}

var current atomic.Pointer[Plan]

// Inject makes a plan the one that holds, until Clear.
func Inject(p *Plan) { current.Store(p) }

// Clear ends injection.
func Clear() { current.Store(nil) }

// Calls returns how many calls of the plan's kind there were.
func (p *Plan) Calls() int64 { return p.calls.Load() }

// Refused returns how many calls were refused.
func (p *Plan) Refused() int64 { return p.refused.Load() }

// Err returns the error to return instead of making a call; nil to make it.
func Err(op Op) error {
	p := current.Load()
	if p == nil || p.Op != "" && p.Op != op {
		return nil
	}
	if n := p.calls.Add(1); p.Nth == 0 || n < p.Nth || n > p.Nth && !p.Stays {
		return nil
	}
	p.refused.Add(1)
	return fmt.Errorf("%w (injected: %s)", p.Err, op)
}

// Write calls write with b. If the call is refused, only half of b is written, as on a disk that becomes full.
func Write(op Op, b []byte, write func([]byte) (int, error)) (n int, err error) {
	if refused := Err(op); refused != nil {
		n, err = write(b[:len(b)/2])
		if err == nil {
			err = refused
		}
		return n, err
	}
	return write(b)
}
