package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// freeBytes is the largest frame of a function that does not check whether the stack has room for
// it. Functions that call each other without checking share some 800 bytes.
const freeBytes = 256

// An assembler writes the assembly of a package.
type assembler struct {
	*pkg
	*machine
	*listing

	text    strings.Builder
	pending []*function // local functions that are called but not written yet
	written map[string]bool
	data    map[string]string // the assembly's names of the constants in use
	panics  bool
}

// assemble returns the functions and the constants of a package, and whether any function may
// panic.
func assemble(p *pkg, m *machine, l *listing) (string, bool, error) {
	a := &assembler{pkg: p, machine: m, listing: l, written: map[string]bool{}, data: map[string]string{}}
	var errs []error
	for _, e := range p.entries {
		if err := a.entry(e); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", p.sources[e.name], e.name, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.functions)) {
		if f := l.functions[name]; len(f.code) > 0 && p.words[path.Base(strings.Split(f.code[0].line, ":")[0])] {
			if err := a.encode(f); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
			}
		}
	}
	for len(a.pending) > 0 {
		f := a.pending[0]
		a.pending = a.pending[1:]
		if err := a.local(f); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
	}
	a.constants()
	return a.text.String(), a.panics, errors.Join(errs...)
}

// entry writes a function with the stable convention.
func (a *assembler) entry(e *entry) error {
	l, err := lay(e.sig, a.machine)
	if err != nil {
		return err
	}
	f := a.functions[a.prefix()+e.name]
	if f == nil {
		return errors.New("the compiler has no such function: all uses of it were inlined")
	}
	code, err := a.body(f)
	if err != nil {
		return err
	}
	flags := "NOSPLIT"
	if f.locals > freeBytes {
		flags = "0"
	}
	fmt.Fprintf(&a.text, "\n// func %s%s\nTEXT ·%s(SB), %s, $%d-%d\n",
		e.name, e.signature(a.pkg), e.name, flags, max(f.locals-8, 0), l.bytes)
	a.pointers(f, code)
	for _, w := range l.in {
		a.line(a.machine.load(w.kind, a.sizeof(w)), fmt.Sprintf("%s+%d(FP), %s", w.name, w.off, w.place))
	}
	return a.code(f, code, l.in, l.out, true)
}

// local writes a function with the compiler's convention.
func (a *assembler) local(f *function) error {
	code, err := a.body(f)
	if err != nil {
		return err
	}
	fmt.Fprintf(&a.text, "\nTEXT %s<>(SB), NOSPLIT, $%d-0\n", a.localName(f.name), max(f.locals-8, 0))
	a.pointers(f, code)
	return a.code(f, code, nil, nil, false)
}

var (
	noFrame  = regexp.MustCompile(`, (?:NOSPLIT)\S*, (\$0-\d+)$`)
	noOffset = regexp.MustCompile(`\b([A-Za-z_]\w*)\(FP\)`)
)

// encode writes a function whose source is assembly. Instructions that the assembler knows only
// with the experiment become numbers.
func (a *assembler) encode(f *function) error {
	frame := noFrame.FindStringSubmatch(f.code[0].args)
	if frame == nil {
		return fmt.Errorf("%s: it has a frame, or checks the stack for room", f.code[0].args)
	}
	fmt.Fprintf(&a.text, "\nTEXT ·%s(SB), NOSPLIT, %s\n", strings.TrimPrefix(f.name, a.prefix()), frame[1])
	var code []instruction
	for _, i := range f.code {
		switch {
		case a.encoded != nil && a.encoded.MatchString(i.op):
			i.op, i.args = number(f, i)
		case i.op == "TEXT" || i.op == "FUNCDATA" || i.op == "PCDATA":
			continue
		case i.op == "RET":
			i.args = ""
		}
		code = append(code, i)
	}
	return a.lines(code, func(i instruction) error {
		a.line(i.op, noOffset.ReplaceAllString(i.args, "$1+0(FP)"))
		return nil
	})
}

// numbered reports whether to write an instruction of the compiler as its number. Only those with
// nothing but registers are: the assembler computes the places in memory.
func (m *machine) numbered(i instruction) bool {
	return m.encoded != nil && m.encoded.MatchString(i.op) && !strings.Contains(i.args, "(")
}

// number returns an instruction as its number, which every assembler accepts.
func number(f *function, i instruction) (op, args string) {
	return "WORD", fmt.Sprintf("$%#08x // %s %s", binary.LittleEndian.Uint32(f.bytes[i.pc:]), i.op, i.args)
}

func (a *assembler) sizeof(w word) int64 { return a.sizes().Sizeof(w.kind) }

// pointers declares that the frame holds no pointers for the garbage collector: it looks there only
// while a panic unwinds the stack, when the frame is no longer used.
func (a *assembler) pointers(f *function, code []instruction) {
	if f.locals > 0 || slices.ContainsFunc(code, func(i instruction) bool { return i.op == "CALL" }) {
		a.text.WriteString("\tNO_LOCAL_POINTERS\n")
	}
}

func (a *assembler) line(op, args string) {
	a.text.WriteString(strings.TrimRight("\t"+op+"\t"+args, "\t") + "\n")
}

// code writes the instructions of a function.
func (a *assembler) code(f *function, code []instruction, in, out []word, entry bool) error {
	if entry && slices.ContainsFunc(code, a.wantsZero) {
		a.text.WriteString("\t" + a.zeroed + "\n")
	}
	return a.lines(code, func(i instruction) error { return a.instruction(f, i, in, out) })
}

// wantsZero reports whether an instruction uses the register that is zero in the compiler's
// convention, or calls a function that may use it.
func (a *assembler) wantsZero(i instruction) bool {
	return a.zero != nil && (a.zero.MatchString(i.args) || i.op == "CALL" && !isPanic(i))
}

// isPanic reports whether an instruction is where a failed bounds check ends.
func isPanic(i instruction) bool {
	return i.op == "CALL" && strings.HasPrefix(i.args, "runtime.panic")
}

// lines writes instructions: jumps itself, with labels where they go to, and all others with write.
func (a *assembler) lines(code []instruction, write func(instruction) error) error {
	targets := map[int]bool{}
	for _, i := range code {
		if to, ok := a.target(i); ok {
			targets[to] = true
		}
	}
	heads := a.heads(code)
	waiting := slices.Sorted(maps.Keys(targets))
	for _, i := range code {
		for len(waiting) > 0 && waiting[0] <= i.pc {
			if heads[waiting[0]] {
				a.line("PCALIGN", "$64") // a loop begins at a cache line
			}
			fmt.Fprintf(&a.text, "L%d:\n", waiting[0])
			waiting = waiting[1:]
		}
		if to, ok := a.target(i); ok {
			at := strings.LastIndex(i.args, " ") + 1
			a.line(i.op, fmt.Sprintf("%sL%d", i.args[:at], to))
		} else if err := write(i); err != nil {
			return fmt.Errorf("%s: %s %s: %w", i.line, i.op, i.args, err)
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("a jump to %d, after the last instruction", waiting[0])
	}
	return nil
}

// instruction writes one instruction other than a jump.
func (a *assembler) instruction(f *function, i instruction, in, out []word) error {
	if a.refused.MatchString(i.args) {
		return errors.New("it uses a register that means something else in the assembly's calling convention")
	}
	switch i.op {
	case "CALL":
		return a.call(i)
	case "RET":
		for _, w := range out {
			a.line(a.machine.store(w.kind, a.sizeof(w)), fmt.Sprintf("%s, %s+%d(FP)", w.place, w.name, w.off))
		}
		a.line("RET", "")
		return nil
	}
	if a.numbered(i) {
		a.line(number(f, i))
		return nil
	}
	args, err := a.places(i.args, f, in)
	if err != nil {
		return err
	}
	if args, err = a.symbols(args); err != nil {
		return err
	}
	if from, to, _ := strings.Cut(args, ", "); i.op == "FMOVQ" && strings.HasSuffix(from, "(SB)") {
		// Go 1.26 cannot load 16 bytes from a symbol. R27 belongs to the assembler, and is free
		// here.
		a.line("MOVD", "$"+from+", R27")
		args = "(R27), " + to
	}
	a.line(i.op, args)
	return nil
}

// call writes a call of a local function, or the end of a failed bounds check.
func (a *assembler) call(i instruction) error {
	name := strings.TrimSuffix(i.args, "(SB)")
	if isPanic(i) {
		a.panics = true
		a.line("CALL", "·outOfBounds(SB)")
		a.line("UNDEF", "")
		return nil
	}
	f := a.functions[name]
	if f == nil || !strings.HasPrefix(name, a.prefix()) {
		return errors.New("it calls a function outside the package: split the source")
	}
	if !a.written[name] {
		a.written[name] = true
		a.pending = append(a.pending, f)
	}
	a.line("CALL", a.localName(name)+"<>(SB)")
	return nil
}

var strange = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// localName makes an assembler name from a name of the compiler.
func (a *assembler) localName(name string) string {
	return strings.Trim(strange.ReplaceAllString(strings.TrimPrefix(name, a.prefix()), "_"), "_")
}

var symbol = regexp.MustCompile(`(\$?)(\$f\d\d\.[0-9a-f]+|[^\s,()$+]+)(\+\d+)?\(SB\)`)

// symbols rewrites variables of the package and constants to their names in assembly.
func (a *assembler) symbols(args string) (string, error) {
	var err error
	return symbol.ReplaceAllStringFunc(args, func(found string) string {
		part := symbol.FindStringSubmatch(found)
		address, name, off := part[1], part[2], part[3]
		if strings.HasPrefix(name, "f64.") || strings.HasPrefix(name, "f32.") {
			address, name = "", "$"+name
		}
		if content, ok := a.listing.data[name]; ok && !strings.HasPrefix(name, "go:") {
			a.data[name] = a.localName(name)
			if len(content) == 0 {
				err = errors.New("a constant without content")
			}
			return address + a.data[name] + "<>" + off + "(SB)"
		}
		variable, own := strings.CutPrefix(name, a.prefix())
		switch at, declared := a.sources[variable]; {
		case !own:
			err = fmt.Errorf("it uses %s, which is not of this package", name)
		case declared:
			err = fmt.Errorf("it uses %s, declared at %s: move that to a file that does not import archsimd", variable, at)
		}
		return address + "·" + variable + off + "(SB)"
	}), err
}

// constants writes the read-only data.
func (a *assembler) constants() {
	for _, name := range slices.Sorted(maps.Keys(a.data)) {
		content, local := a.listing.data[name], a.data[name]
		a.text.WriteString("\n")
		for off := 0; off < len(content); {
			bytes := 8
			for bytes > len(content)-off {
				bytes /= 2
			}
			var word [8]byte
			copy(word[:], content[off:off+bytes])
			fmt.Fprintf(&a.text, "DATA %s<>+%d(SB)/%d, $%#x\n", local, off, bytes, binary.LittleEndian.Uint64(word[:]))
			off += bytes
		}
		fmt.Fprintf(&a.text, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", local, len(content))
	}
}
