//go:build !linux

package splice

import (
	"errors"
	"sync/atomic"
	"syscall"
)

// PipePool is empty: only Linux splices.
type PipePool struct{}

// SharedPool returns the pool of the process.
func SharedPool() *PipePool { return &PipePool{} }

// NewPool returns a pool.
func NewPool(budget int) *PipePool { return &PipePool{} }

// Open returns zeros.
func (*PipePool) Open() (open, used int) { return 0, 0 }

// CloseIdle does nothing.
func (*PipePool) CloseIdle() {}

// Splicer does not work on this system.
type Splicer struct{}

// NewSplicer returns errors.ErrUnsupported: only Linux has splice.
func NewSplicer(dst, src syscall.RawConn, pipes *PipePool, passed *atomic.Int64) (*Splicer, error) {
	return nil, errors.ErrUnsupported
}

// Moved returns zeros.
func (*Splicer) Moved() Moved { return Moved{} }

// Pass returns errors.ErrUnsupported.
func (*Splicer) Pass(max int64) (int64, error) { return 0, errors.ErrUnsupported }
