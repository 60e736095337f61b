// Command thresh-cluster answers thresh's questions on many machines. "thresh cluster" runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/cluster/internal/command"
)

func main() {
	if is, err := cluster.Worker(os.Args[1:]); is {
		fmt.Fprintln(os.Stderr, "thresh-cluster:", err)
		os.Exit(command.ExitFailed)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
