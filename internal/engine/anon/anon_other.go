//go:build !linux

// Package anon allocates the engines' buffers. On this system they are Go memory.
package anon

import "os"

// Map returns at least the given number of zero bytes in whole pages. Release it with Unmap.
func Map(bytes int) ([]byte, error) {
	page := os.Getpagesize()
	return make([]byte, (max(bytes, 1)+page-1)/page*page), nil
}

// MapSmall is Map.
func MapSmall(bytes int) ([]byte, error) { return Map(bytes) }

// Huge does nothing on this system.
func Huge([]byte) {}

// Unmap releases memory that Map returned. It must not be used afterwards.
func Unmap([]byte) error { return nil }

// Discard gives memory back to the system if possible. Here it does nothing. The content is
// undefined afterwards.
func Discard([]byte) {}
