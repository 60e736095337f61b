package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// vector matches the instructions whose encodings are compared: all that work on vectors and masks,
// except those that load constants, whose addresses differ.
var vector = regexp.MustCompile(`^[VK]`)

// TestEncodings compares the module's assembly with what the compiler made, byte for byte, for
// every machine and also for instruction sets that no processor here may have: the assembler could
// interpret an instruction differently than the compiler wrote it.
func TestEncodings(t *testing.T) {
	const root = "../../.."
	for _, m := range machines {
		packages, err := load(root, m, []string{"./..."}, true)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, p := range packages {
			compiled, err := compile(p, m)
			if err != nil {
				t.Fatal(err)
			}
			command := exec.Command("go", "build", "-asmflags=-S", ".")
			command.Dir, command.Env = p.dir, append(m.environment(), "GOEXPERIMENT=")
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", p.path, err, out)
			}
			assembled, err := parse(string(out))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range p.entries {
				name := p.prefix() + e.name
				want, got := encodings(m, compiled.functions[name]), encodings(m, assembled.functions[name])
				if zeroed := strings.Replace(m.zeroed, "\t", " ", 1); zeroed != "" && len(got) == len(want)+1 && strings.HasPrefix(got[0], zeroed) {
					got = got[1:]
				}
				if w, g := strings.Join(want, "\n"), strings.Join(got, "\n"); w != g {
					t.Errorf("%s: %s: %d instructions were compiled, %d assembled, or others\n%s", m.name, name, len(want), len(got), difference(want, got))
				}
				compared += len(want)
			}
		}
		if compared < 1000 {
			t.Errorf("%s: only %d instructions were compared", m.name, compared)
		}
		t.Logf("%s: %d instructions compared", m.name, compared)
	}
}

// encodings returns a function's vector instructions with their bytes.
func encodings(m *machine, f *function) (all []string) {
	if f == nil {
		return nil
	}
	for n, i := range f.code {
		if !vector.MatchString(i.op) && i.op != "WORD" {
			continue
		}
		end := len(f.bytes)
		if n+1 < len(f.code) {
			end = f.code[n+1].pc
		}
		if i.op == "WORD" || m.numbered(i) {
			all = append(all, fmt.Sprintf("% x", f.bytes[i.pc:end]))
			continue
		}
		args := stackName.ReplaceAllString(i.args, "$1")
		if strings.Contains(args, "(SB)") {
			args = "" // the symbol has another name here, and its address is not known yet
		}
		all = append(all, fmt.Sprintf("%s %s % x", i.op, args, bytes.Clone(f.bytes[i.pc:end])))
	}
	return all
}

// stackName matches the name of a place on the stack, which differs.
var stackName = regexp.MustCompile(`[^\s,()$]*(\((?:SP|FP)\))`)

func difference(want, got []string) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Sprintf("number %d: compiled %s, assembled %s", i, want[i], got[i])
		}
	}
	return "one is a prefix of the other"
}
