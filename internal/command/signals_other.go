//go:build !linux

package command

// flushSignals does nothing where a program cannot wait for the signals that were sent to it.
func flushSignals(bool) {}
