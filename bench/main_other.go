//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: needs Linux: a comparison says what was in the page cache, and only Linux tells")
	os.Exit(2)
}
