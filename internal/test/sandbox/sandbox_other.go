//go:build !linux

// Package sandbox denies system calls to a test's own process. Other systems than Linux have
// nothing of the kind.
package sandbox
