package cluster

import (
	"context"
	"log/slog"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// silent drops what Beam logs: a job that fails returns an error.
type silent struct{}

// Log drops a message.
func (silent) Log(context.Context, log.Severity, int, string) {}

// Quiet drops what Beam logs in this process, except errors of the embedded runner.
func Quiet() {
	log.SetLogger(silent{})
	log.LogLevel = "error"
	slog.SetDefault(slog.New(slog.DiscardHandler))
}
