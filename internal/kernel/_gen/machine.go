package main

import (
	"fmt"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A machine is what the generator needs to know about an architecture.
type machine struct {
	name           string
	intRegisters   []string // in the order in which arguments take them
	floatRegisters []string
	noop           string // fills space, or marks where a function was inlined

	// load and store name the instructions that move a value of a given size: unsigned and signed
	// integers, and floats.
	load, store func(kind *types.Basic, bytes int64) string

	jump     *regexp.Regexp // jumps, whose last argument is an offset
	prologue []*regexp.Regexp
	split    *regexp.Regexp // in the prologue, the jump to where the stack grows
	epilogue []*regexp.Regexp
	refused  *regexp.Regexp // arguments that mean something else in the stable convention
	zeroed   string         // clears the register that is zero in the compiler's convention
	zero     *regexp.Regexp // a use of that register

	// encoded are the instructions that the assembler knows only with the experiment, or not in the
	// oldest Go that go.mod allows.
	encoded *regexp.Regexp

	// places rewrites the places on the stack. in holds the words of an entry's arguments.
	places func(args string, f *function, in []word) (string, error)
}

var machines = []*machine{&amd64, &arm64}

// environment makes the go command compile the sources for the machine. Every setting that affects
// the output is here, so that it does not depend on the caller.
func (m *machine) environment() []string {
	return append(os.Environ(), "GOEXPERIMENT=simd", "GOOS=linux", "GOARCH="+m.name, "GOAMD64=v2", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
}

// body returns the instructions of a function without those that set up and leave its frame; the
// assembler adds these again.
func (m *machine) body(f *function) ([]instruction, error) {
	var code []instruction
	for _, i := range f.code {
		switch i.op {
		case "TEXT", "FUNCDATA", "PCDATA":
		default:
			code = append(code, i)
		}
	}
	for ; len(code) > 0; code = code[1:] {
		text := code[0].op + " " + code[0].args
		if !slices.ContainsFunc(m.prologue, func(r *regexp.Regexp) bool { return r.MatchString(text) }) {
			break
		}
		if m.split.MatchString(text) { // from its target on, the function only grows the stack
			end, err := strconv.Atoi(code[0].args)
			if err != nil {
				return nil, fmt.Errorf("%s: %s", f.name, text)
			}
			code = slices.DeleteFunc(code, func(i instruction) bool { return i.pc >= end })
		}
	}
	var kept []instruction
	for _, i := range code {
		if i.op == "NOP" || i.op == "PCALIGN" || i.op+" "+i.args == m.noop {
			continue
		}
		if i.op == "RET" {
			for _, r := range m.epilogue {
				if n := len(kept); n > 0 && r.MatchString(kept[n-1].op+" "+kept[n-1].args) {
					i.pc = kept[n-1].pc // jumps to where the frame is left go to the return
					kept = kept[:n-1]
				}
			}
			i.args = ""
		}
		kept = append(kept, i)
	}
	return kept, nil
}

// heads returns where innermost loops begin.
func (m *machine) heads(code []instruction) map[int]bool {
	loops := map[int]int{}
	for _, i := range code {
		if to, ok := m.target(i); ok && to <= i.pc {
			loops[to] = max(loops[to], i.pc)
		}
	}
	heads := map[int]bool{}
	for head, end := range loops {
		inner := true
		for other := range loops {
			inner = inner && (other <= head || other > end)
		}
		if inner {
			heads[head] = true
		}
	}
	return heads
}

// target returns where an instruction jumps to.
func (m *machine) target(i instruction) (int, bool) {
	if !m.jump.MatchString(i.op) {
		return 0, false
	}
	args := strings.Split(i.args, ", ")
	to, err := strconv.Atoi(args[len(args)-1])
	return to, err == nil
}

func compiled(patterns ...string) (all []*regexp.Regexp) {
	for _, p := range patterns {
		all = append(all, regexp.MustCompile("^(?:"+p+")$"))
	}
	return all
}

func (m *machine) sizes() types.Sizes { return types.SizesFor("gc", m.name) }
