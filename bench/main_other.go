//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	ran, err := tool(os.Args[1:], os.Stdout)
	if ran && err == nil {
		return
	}
	if ran {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "bench: needs Linux, which tells what is in the page cache")
	os.Exit(2)
}
