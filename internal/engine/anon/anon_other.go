//go:build !linux

// Package anon gives engines their buffers. On this system they are Go memory.
package anon

import "os"

// Map returns at least the given number of zero bytes in whole pages. Give it back with
// Unmap.
func Map(bytes int) ([]byte, error) {
	page := os.Getpagesize()
	return make([]byte, (max(bytes, 1)+page-1)/page*page), nil
}

// Unmap gives back what Map returned. Nothing may use it any more.
func Unmap([]byte) error { return nil }

// Discard gives memory back to the system where that is possible. What it holds afterwards is
// undefined.
func Discard([]byte) {}
