//go:build linux

package servetest

func child(role string) int { return 2 }
