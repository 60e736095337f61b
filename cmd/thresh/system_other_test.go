//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

const isLinux = false

func evictFile(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("evict: the page cache of this system cannot be emptied")
}

func cgroupFolder() string { return "" }

func removeCgroup() {}

func become([]string) { panic(underTest + " is for Linux") }

func confined() { panic("sandbox is for Linux") }

func stalled() { panic("stall is for Linux") }
