package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// cmpOutput prints the answers of cmp.
type cmpOutput struct {
	*command.Output
	run     *cmpRun
	color   bool
	printed int64
	width   int     // of the number of a byte; 0 until it is known
	bytes   [2]byte // the first ones that differ, for --print-bytes
	dumps   []byte  // hexdumps around the first difference, for after it
}

// ranges prints ranges that differ. Without --all there is one, and the end prints it.
func (o *cmpOutput) ranges(hits []answer.Hit) (err error) {
	f := o.run.flags
	for _, h := range hits {
		switch {
		case o.run.Quiet:
		case f.verbose:
			err = o.eachByte(h)
		case f.all && f.limit > 0 && o.printed >= f.limit:
		case f.all && f.JSON:
			err = o.JSON(struct {
				Offset int64 `json:"offset"`
				Length int64 `json:"length"`
			}{h.Off, h.Len})
		case f.all:
			_, err = fmt.Fprintf(o, "%d %d\n", h.Off, h.Len)
			if err == nil && f.context > 0 {
				err = o.hexdumps(o, h)
			}
		case f.context > 0:
			err = o.hexdumps(dumpTo{&o.dumps}, answer.Hit{Off: h.Off, Len: 1})
		case f.printBytes:
			err = o.read(h.Off, o.bytes[:1], o.bytes[1:])
		}
		if err != nil {
			return err
		}
		o.printed++
	}
	return o.Flush()
}

// dumpTo appends to a slice.
type dumpTo struct{ to *[]byte }

func (d dumpTo) Write(b []byte) (int, error) {
	*d.to = append(*d.to, b...)
	return len(b), nil
}

// shift returns what an offset in the second input is more than that in the first.
func (o *cmpOutput) shift() int64 { return o.run.options.Other - o.run.options.Offset }

// hexdumps prints the bytes around a range in both inputs.
func (o *cmpOutput) hexdumps(to io.Writer, h answer.Hit) error {
	for i, in := range o.run.inputs {
		at := h
		at.Off += int64(i) * o.shift()
		at.Len = min(at.Len, dumpBytesMax)
		b, err := appendHexdump(fmt.Appendf(nil, "  %s\n", in.Name()), in, at, o.run.flags.context, o.color)
		if err != nil {
			return err
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// dumpBytesMax is how much of a range a hexdump shows.
const dumpBytesMax = 256

// read reads the bytes of both inputs at an offset of the first.
func (o *cmpOutput) read(off int64, one, other []byte) error {
	for i, b := range [][]byte{one, other} {
		if n, err := o.run.inputs[i].ReadAt(b, off+int64(i)*o.shift()); n < len(b) {
			return fmt.Errorf("read the bytes that differ: %w", err)
		}
	}
	return nil
}

// eachByte prints the bytes of a range as cmp -l does.
func (o *cmpOutput) eachByte(h answer.Hit) error {
	if o.width == 0 {
		o.width = len(strconv.FormatInt(cmp.Or(o.run.total(), 1<<63-1), 10))
	}
	var one, other [512]byte
	for h.Len > 0 {
		n := min(h.Len, int64(len(one)))
		if err := o.read(h.Off, one[:n], other[:n]); err != nil {
			return err
		}
		for i := range n {
			a, b := one[i], other[i]
			number := h.Off + i - o.run.options.Offset + 1
			if o.run.flags.printBytes {
				fmt.Fprintf(o, "%*d %3o %-4s %3o %s\n", o.width, number, a, visible(a), b, visible(b))
			} else {
				fmt.Fprintf(o, "%*d %3o %3o\n", o.width, number, a, b)
			}
		}
		h.Off, h.Len = h.Off+n, h.Len-n
	}
	return nil
}

// visible returns a byte as a character: M- before one above 127, ^ before a control character.
func visible(c byte) (text string) {
	if c >= 128 {
		text, c = "M-", c-128
	}
	switch {
	case c < ' ':
		return text + "^" + string(rune(c+64))
	case c == 127:
		return text + "^?"
	}
	return text + string(rune(c))
}

// end prints the answer.
func (o *cmpOutput) end() error {
	f, r := o.run.flags, o.run.found
	switch {
	case f.JSON:
		return errors.Join(o.summary(), o.Flush())
	case !o.run.Complete && !(f.all && r.First >= 0):
		if r.First >= 0 {
			o.first()
		}
	case r.Equal:
		if o.Terminal() {
			fmt.Fprintln(o, o.equal())
		}
	case f.all && r.First >= 0:
		fmt.Fprintf(o, "%s %s differ: %s in %s%s\n", o.name(0), o.name(1), numeral.Count(r.Different, "byte"),
			numeral.Count(r.Ranges, "range"), map[bool]string{false: ", as far as they were read"}[o.run.Complete])
	case r.First >= 0 && !f.verbose:
		o.first()
	}
	if o.run.Complete && r.Longer > 0 && !r.Equal {
		o.ended()
	}
	return o.Flush()
}

// first prints the first difference.
func (o *cmpOutput) first() {
	r := o.run.found
	fmt.Fprintf(o, "%s %s differ: byte %d", o.name(0), o.name(1), r.First-o.run.options.Offset+1)
	if r.Line > 0 {
		fmt.Fprintf(o, ", line %d", r.Line)
	}
	if o.run.flags.printBytes {
		fmt.Fprintf(o, " is %3o %s %3o %s", o.bytes[0], visible(o.bytes[0]), o.bytes[1], visible(o.bytes[1]))
	}
	if !o.run.Complete {
		fmt.Fprint(o, " (or before, where it could not be read)")
	}
	o.Write(append([]byte{'\n'}, o.dumps...)) // an error is that of the next Flush
}

// ended prints which input ends before the other.
func (o *cmpOutput) ended() {
	r := o.run.found
	shorter := o.name(2 - r.Longer)
	if r.Compared == 0 {
		fmt.Fprintf(o, "EOF on %s which is empty\n", shorter)
		return
	}
	fmt.Fprintf(o, "EOF on %s after byte %d\n", shorter, r.Compared)
}

// equal says for a person that the inputs are the same.
func (o *cmpOutput) equal() string {
	r := o.run.found
	text := "equal: " + bytesize.Short(r.Compared)
	if r.Direct[0] || r.Direct[1] {
		text += ", from the device"
	}
	if r.Longer == 2 {
		text += "; " + o.name(1) + " goes on"
	}
	return text
}

func (o *cmpOutput) name(i int) string { return command.ShownName(o.run.Inputs[i]) }

// cmpSummary is the last line of the JSON output.
type cmpSummary struct {
	Files     [2]command.Text `json:"files"`
	Equal     bool            `json:"equal"`
	First     *int64          `json:"first,omitempty"`
	Line      int64           `json:"line,omitempty"`
	Ranges    *int64          `json:"ranges,omitempty"`
	Different *int64          `json:"different,omitempty"`
	Longer    command.Text    `json:"longer,omitempty"`
	Compared  int64           `json:"compared"`
	Direct    bool            `json:"direct,omitempty"`
	Complete  bool            `json:"complete"`
}

func (o *cmpOutput) summary() error {
	r := o.run.found
	s := cmpSummary{Files: [2]command.Text{command.Text(o.name(0)), command.Text(o.name(1))}, Equal: r.Equal, Line: r.Line,
		Compared: r.Compared, Direct: r.Direct[0] || r.Direct[1], Complete: o.run.Complete}
	if r.First >= 0 {
		s.First = &r.First
	}
	if o.run.flags.all {
		s.Ranges, s.Different = &r.Ranges, &r.Different
	}
	if r.Longer > 0 {
		s.Longer = command.Text(o.name(r.Longer - 1))
	}
	return o.JSON(map[string]any{"summary": s})
}
