//go:build !linux

package splice

import (
	"errors"
	"sync/atomic"
	"syscall"
)

// Pipes is the pool that only Linux needs.
type Pipes struct{}

// Shared returns the pool of the process.
func Shared() *Pipes { return &Pipes{} }

// NewPipes returns a pool.
func NewPipes(budget int) *Pipes { return &Pipes{} }

// Open returns zeros.
func (*Pipes) Open() (open, used int) { return 0, 0 }

// Trim does nothing.
func (*Pipes) Trim() {}

// Line is a line that cannot be had here.
type Line struct{}

// NewLine returns errors.ErrUnsupported: only Linux has splice.
func NewLine(dst, src syscall.RawConn, pipes *Pipes, passed *atomic.Int64) (*Line, error) {
	return nil, errors.ErrUnsupported
}

// Moved returns zeros.
func (*Line) Moved() Moved { return Moved{} }

// Pass returns errors.ErrUnsupported.
func (*Line) Pass(max int64) (int64, error) { return 0, errors.ErrUnsupported }

// Move returns errors.ErrUnsupported: only Linux has splice.
func Move(dst, src syscall.RawConn, n int64, pipes *Pipes) (Moved, error) {
	return Moved{}, errors.ErrUnsupported
}
