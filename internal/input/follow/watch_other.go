//go:build !linux

package follow

import (
	"context"
	"os"
	"time"
)

// watch is nil on this system: there are only looks.
type watch struct{}

func newWatch(string) *watch { return nil }

func (*watch) file(*os.File) {}
func (*watch) moved() bool   { return false }
func (*watch) wait(ctx context.Context, d time.Duration) bool {
	pause(ctx, d)
	return true
}
func (*watch) close() error { return nil }

// openFlags are those with which a file is opened.
func openFlags(bool) int { return 0 }

func born(*os.File) int64   { return 0 }
func bornPath(string) int64 { return 0 }
