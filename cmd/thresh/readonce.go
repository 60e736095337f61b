package main

import (
	"fmt"
	"io/fs"
	"os"
)

// readOnce returns an error where the arguments name an input more than once that can be read
// only once: standard input, a FIFO or a socket.
func readOnce(stdin *os.File, args []string) error {
	if len(args) < 2 {
		return nil
	}
	type pipe struct {
		name string
		info fs.FileInfo
	}
	var pipes []pipe
	for _, name := range args {
		info, err := stat(stdin, name)
		if err != nil || name != "-" && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
			continue // what cannot be opened is named later
		}
		for _, p := range pipes {
			switch {
			case name == "-" && p.name == "-":
				return fmt.Errorf(`"-" is given more than once, and standard input can be read only once`)
			case info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 && os.SameFile(info, p.info):
				return fmt.Errorf("%s and %s are the same pipe, which can be read only once", p.name, name)
			}
		}
		pipes = append(pipes, pipe{name, info})
	}
	return nil
}

func stat(stdin *os.File, name string) (fs.FileInfo, error) {
	if name == "-" {
		return stdin.Stat()
	}
	return os.Stat(name)
}
