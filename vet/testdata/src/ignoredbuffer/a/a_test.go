package a

import (
	"io"
	"os"
)

func inTest(w io.Writer, f *os.File) { io.CopyBuffer(w, f, make([]byte, 10)) }
