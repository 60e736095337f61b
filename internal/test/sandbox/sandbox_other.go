//go:build !linux

// Package sandbox denies system calls to the test's own process. It works on Linux only.
package sandbox
