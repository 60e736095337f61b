//go:build !linux

package wall

import (
	"context"
	"os/exec"
)

// Run returns ErrUnsupported, and does not start the command.
func Run(ctx context.Context, cmd *exec.Cmd, o Options) (Report, error) {
	return Report{}, ErrUnsupported
}

// Watch returns ErrUnsupported.
func Watch(ctx context.Context, pid int, o Options) (Report, error) {
	return Report{}, ErrUnsupported
}

// Watcher watches this process.
type Watcher struct {
	_ struct{} // made by Start only
}

// Start returns ErrUnsupported.
func Start(o Options) (*Watcher, error) { return nil, ErrUnsupported }

// Stop returns an empty report: there is no Watcher that Start has returned.
func (w *Watcher) Stop() Report { return Report{} }
