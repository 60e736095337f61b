//go:build !linux

package main

// checkAddressSpace: other systems do not limit the address space, or not so that it can be asked.
func checkAddressSpace() error { return nil }
