//go:build !linux

package main

import (
	"fmt"
	"os"

	"github.com/thresh-dev/thresh/wall"
)

func main() {
	fmt.Fprintln(os.Stderr, "wallmatrix:", wall.ErrUnsupported)
	os.Exit(1)
}
