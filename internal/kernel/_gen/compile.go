package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// A listing is what the compiler prints about a package.
type listing struct {
	functions map[string]*function
	data      map[string][]byte // read-only symbols
}

// A function is the compiler's instructions for one.
type function struct {
	name   string
	locals int // bytes of the frame, including the word that holds the caller's frame pointer
	bytes  []byte
	code   []instruction
}

// An instruction is as the assembler reads it, except that the targets of jumps are offsets.
type instruction struct {
	pc   int
	op   string
	args string
	line string
}

var (
	functionLine = regexp.MustCompile(`^(\S.*) STEXT .*locals=0x([0-9a-f]+) `)
	dataLine     = regexp.MustCompile(`^(\S+) SRODATA .*size=(\d+)`)
	codeLine     = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(([^)]*)\)\t([A-Z0-9.]+)(?:\t(.*))?$`)
	hexLine      = regexp.MustCompile(`^\t0x[0-9a-f]{4,} ((?:[0-9a-f]{2} ){1,16})`)
)

// compile makes the compiler print the instructions of a package.
func compile(p *pkg, m *machine) (*listing, error) {
	command := exec.Command("go", "build", "-gcflags=-S", "-asmflags=-S", ".")
	command.Dir, command.Env = p.dir, m.environment()
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out.Bytes())
	}
	return parse(out.String())
}

// parse reads a listing.
func parse(text string) (*listing, error) {
	l := &listing{functions: map[string]*function{}, data: map[string][]byte{}}
	var f *function
	var data string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if found := functionLine.FindStringSubmatch(line); found != nil {
			locals, err := strconv.ParseInt(found[2], 16, 0)
			if err != nil {
				return nil, err
			}
			f, data = &function{name: found[1], locals: int(locals)}, ""
			l.functions[f.name] = f
			continue
		}
		if found := dataLine.FindStringSubmatch(line); found != nil {
			f, data = nil, found[1]
			l.data[data] = nil
			continue
		}
		if line == "" || line[0] != '\t' {
			f, data = nil, ""
			continue
		}
		if found := codeLine.FindStringSubmatch(line); found != nil && f != nil {
			pc, err := strconv.Atoi(found[1])
			if err != nil {
				return nil, err
			}
			f.code = append(f.code, instruction{pc, found[3], found[4], found[2]})
		} else if found := hexLine.FindStringSubmatch(line); found != nil && (f != nil || data != "") {
			bytes, err := hex.DecodeString(strings.ReplaceAll(found[1], " ", ""))
			if err != nil {
				return nil, err
			}
			if f != nil {
				f.bytes = append(f.bytes, bytes...)
			} else {
				l.data[data] = append(l.data[data], bytes...)
			}
		}
	}
	return l, nil
}
