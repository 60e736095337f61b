// Package tests has functions that its tests call with other values.
package tests

import (
	"io"
	"os"
)

func show(any) {}

type holder struct{ r io.Reader }

var global io.Reader = os.Stdin

func serve(r io.Reader) {
	show(r)      // = pipe *os.File
	show(global) // = pipe *os.File
	h := holder{os.Stdin}
	io.Copy(os.Stdout, h.r) // = io.Copy: pipe *os.File <- pipe *os.File
}

func run() { serve(os.Stdin) }
