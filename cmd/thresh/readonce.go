package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// readOnce returns an error if the arguments name standard input, a FIFO or a socket more than
// once: it can be read only once.
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
			continue // opening it reports the error
		}
		for _, p := range pipes {
			switch {
			case name == "-" && p.name == "-":
				return errors.New(`"-" is given more than once, but standard input can be read only once`)
			case info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 && os.SameFile(info, p.info):
				return fmt.Errorf("%s and %s are the same pipe, which can be read only once: name it once", p.name, name)
			}
		}
		pipes = append(pipes, pipe{name, info})
	}
	return nil
}

// stat returns the file info of an argument; "-" is standard input.
func stat(stdin *os.File, name string) (fs.FileInfo, error) {
	if name == "-" {
		return stdin.Stat()
	}
	return os.Stat(name)
}
