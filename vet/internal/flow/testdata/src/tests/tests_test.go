package tests

import (
	"io"
	"strings"
)

func testServe() {
	serve(strings.NewReader("x"))
	global = strings.NewReader("x")
	h := &holder{}
	h.r = strings.NewReader("x")
	show(h.r) // = pipe *os.File
	help(strings.NewReader("x"))
}

func help(r io.Reader) {
	show(r) // = *strings.Reader
}
