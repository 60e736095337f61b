//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"

	"github.com/thresh-dev/thresh/internal/command"
)

// handOver runs the program at path until it ends, and returns its exit status. Windows
// sends Ctrl-C to all processes of a console: the program decides, and this process waits.
func handOver(path string, args []string, stdin, stdout, stderr *os.File) (int, error) {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return command.WrongUsage, err
	}
	return command.Answered, nil
}
