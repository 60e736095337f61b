//go:build !linux

package main

// versusChild does nothing: this system has no comparisons with other programs.
func versusChild([]string) (handled bool, status int) { return false, 0 }
