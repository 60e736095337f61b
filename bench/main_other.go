//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: needs Linux: only Linux tells what is in the page cache")
	os.Exit(2)
}
