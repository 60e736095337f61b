//go:build unix

package main

import (
	"os"
	"syscall"

	"github.com/thresh-dev/thresh/internal/command"
)

// handOver replaces this process with the program at path. The process number stays the same, so
// signals, job control and the terminal reach the program. handOver returns only if that fails.
func handOver(path string, args []string, _, _, _ *os.File) (int, error) {
	return command.WrongUsage, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}
