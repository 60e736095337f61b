package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh"
)

// source is the input of a hit: its name, and its bytes to print what is around the hit.
type source interface {
	Name() string
	io.ReaderAt
	ReadSome(p []byte, off int64) (int, error)
}

// namedInput is an input under the name that results give it. The Input is nil if only the name
// is needed, because nothing around the hits is printed.
type namedInput struct {
	name string
	*thresh.Input
}

func (n namedInput) Name() string { return n.name }

// findOutput prints hits as plain lines or JSON lines, with hexdumps or lines of text if asked.
type findOutput struct {
	*printer
	flags *findFlags
	color bool
	// explains says what the numbers are, for a person at a terminal.
	explains bool
	line     []byte
}

func newFindOutput(c *console, f *findFlags) *findOutput {
	return &findOutput{printer: newPrinter(c, &f.shared), flags: f,
		color:    f.shared.colors(f.color, c.out),
		explains: isTerminal(c.out) && !f.byteOffset && (f.output == "" || f.output == "-")}
}

// around returns how many bytes on either side of a hit may be printed.
func (f *findFlags) around() int64 {
	switch {
	case f.line:
		return int64(lineBytesMax.Get())
	case f.context > 0:
		return f.context + 2*rowBytes // whole rows
	}
	return 0
}

// hits prints a batch of hits and flushes it, so the reader of a pipe sees it at once.
func (o *findOutput) hits(in source, hits []thresh.Hit, withName bool) error {
	for _, h := range hits {
		if err := o.hit(in, h, withName); err != nil {
			return err
		}
	}
	return o.w.Flush()
}

// hit prints one hit.
func (o *findOutput) hit(in source, h thresh.Hit, withName bool) error {
	b := o.line[:0]
	t, _ := in.(*namedTensor)
	if o.flags.json {
		b = append(b, `{"file":`...)
		if t != nil {
			b = t.appendJSON(b, h.Off)
		} else {
			b = appendJSON(b, jsonText(in.Name()))
		}
		b = append(b, `,"offset":`...)
		b = strconv.AppendInt(b, h.Off, 10)
		b = append(b, `,"length":`...)
		b = strconv.AppendInt(b, h.Len, 10)
		if o.flags.line {
			text, _, err := lineAround(in, h)
			if err != nil {
				return err
			}
			b = append(b, `,"line":`...)
			b = appendJSON(b, jsonText(text))
		}
		b = append(b, "}\n"...)
	} else {
		switch {
		case t != nil && !o.flags.byteOffset:
			b = append(t.appendLabel(b, h.Off), ':')
		case t != nil && withName:
			b = append(append(b, t.file...), ':')
		case t == nil && withName:
			b = append(append(b, in.Name()...), ':')
		}
		if o.explains {
			b = fmt.Appendf(b, "byte %d (0x%[1]x)", h.Off)
		} else {
			b = strconv.AppendInt(b, h.Off, 10)
		}
		if o.flags.line {
			text, at, err := lineAround(in, h)
			if err != nil {
				return err
			}
			b = append(b, ':')
			if o.explains {
				b = append(b, ' ')
			}
			b = o.appendLine(b, text, at, h.Len)
		}
		b = append(b, '\n')
		if o.flags.context > 0 {
			var err error
			if b, err = appendHexdump(b, in, h, o.flags.context, o.color); err != nil {
				return err
			}
		}
	}
	o.line = b
	_, err := o.w.Write(b)
	return err
}

// appendLine appends a line, with the match in it at the given place in colour.
func (o *findOutput) appendLine(b, text []byte, at int, length int64) []byte {
	if !o.color {
		return append(b, text...)
	}
	end := at + int(min(length, int64(len(text)-at)))
	b = append(append(b, text[:at]...), hitColor...)
	b = append(append(b, text[at:end]...), plainText...)
	return append(b, text[end:]...)
}

// nothingFound says for a person how much was searched in vain.
func nothingFound(r thresh.Report) string {
	text := "nothing found in " + sizeText(r.Bytes)
	if r.Skipped > 0 {
		text += fmt.Sprintf(" (%s of it holes)", sizeText(r.Skipped))
	}
	return text
}

// sizeText formats a number of bytes as people read it.
func sizeText(n int64) string {
	size, unit := float64(n), -1
	for size >= 1024 && unit < 3 {
		size, unit = size/1024, unit+1
	}
	if unit < 0 {
		return plural(n, "byte")
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", size), ".0") + " " + []string{"KiB", "MiB", "GiB", "TiB"}[unit]
}

// end prints the JSON summary, if asked, and flushes.
func (o *findOutput) end(r thresh.Report, complete bool) error {
	if o.flags.json && !o.flags.quiet {
		o.json(map[string]any{"summary": summary{r.Hits, r.Bytes, complete}})
	}
	return errors.Join(o.err, o.w.Flush())
}

// summary is the last line of the JSON output.
type summary struct {
	Hits     int64 `json:"hits"`
	Bytes    int64 `json:"bytes"`
	Complete bool  `json:"complete"`
}
