package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
)

// inputs returns the inputs of a run: those that are named, or else the folder below which -r searches, or standard
// input, unless that is a terminal.
func inputs(c *Call, args []string) ([]string, error) {
	switch {
	case len(args) > 0:
		return args, noEmptyName(args)
	case c.Given("recursive"):
		return []string{"."}, nil
	case IsTerminal(c.In):
		return nil, errNoInput
	}
	return []string{"-"}, nil
}

var errNoInput = errors.New(`no input: name a file, or "-" for standard input`)

// Required returns an error if no input is named, one with an empty name, or one twice that can be read only once.
func (c *Call) Required() error {
	if len(c.Args) == 0 {
		return errNoInput
	}
	return errors.Join(noEmptyName(c.Args), readOnce(c.In, c.Args))
}

func noEmptyName(args []string) error {
	if i := slices.Index(args, ""); i >= 0 {
		return fmt.Errorf("input %d of %d has an empty name: is a variable of the shell empty?", i+1, len(args))
	}
	return nil
}

// mayBeSeveral reports whether the arguments may mean more than one input: no shell expands a pattern in quotes, one of
// objects in a store, or any on Windows.
func mayBeSeveral(args []string, recursive bool) bool {
	if len(args) != 1 || recursive {
		return true
	}
	if !strings.ContainsAny(args[0], "*?[") || thresh.IsRemote(args[0]) && !strings.HasPrefix(args[0], "s3://") {
		return false
	}
	_, err := os.Lstat(args[0])
	return errors.Is(err, fs.ErrNotExist)
}

// stat returns the file info of an argument; "-" is standard input.
func stat(stdin *os.File, name string) (fs.FileInfo, error) {
	if name == "-" {
		return stdin.Stat()
	}
	return os.Stat(name)
}

// streams returns the inputs that other programs write while they are read, such as pipes.
func streams(stdin *os.File, args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(name string) bool {
		info, err := stat(stdin, name)
		if err != nil {
			return true
		}
		block := info.Mode()&(os.ModeDevice|os.ModeCharDevice) == os.ModeDevice
		return info.Mode().IsRegular() || info.IsDir() || block
	})
}

// readOnce returns an error if the arguments name standard input, a FIFO or a socket more than once: it can be
// read only once.
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

// OutputIsInput returns an error if the file of --output is also an input, or, for a run that prints results while it
// reads, if standard output is, as in FILE >> FILE.
func (r *Run) OutputIsInput(whileReading bool) error {
	if r.Output != "" {
		return r.Overwrites("-o", r.Output)
	}
	to, err := r.Call.Out.Stat()
	if name := r.sameFile(to, err); name != "" && whileReading && !r.Quiet {
		return fmt.Errorf("standard output is also the input %s, and results would be added to it: "+
			"write to another file", name)
	}
	return nil
}

// Overwrites returns an error if the file of a flag is also an input.
func (r *Run) Overwrites(flag, file string) error {
	to, err := os.Stat(file)
	if name := r.sameFile(to, err); name != "" { // otherwise a new file, or opening it reports the error
		return fmt.Errorf("%s %s is also the input %s, and would be overwritten: choose another name", flag, file, name)
	}
	return nil
}

// sameFile returns the input that is a regular file, "" if none is or the error is not nil.
func (r *Run) sameFile(to os.FileInfo, err error) string {
	if err != nil || !to.Mode().IsRegular() {
		return ""
	}
	for _, name := range r.Inputs {
		if info, err := stat(r.In, name); err == nil && os.SameFile(info, to) {
			return name
		}
	}
	return ""
}
