//go:build !unix

package main

import "os"

// signalsCaught stands for signals where no command is watched.
type signalsCaught struct{}

func catchSignals() *signalsCaught { return &signalsCaught{} }

func (*signalsCaught) stop() {}

func (*signalsCaught) pass(int) {}

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
