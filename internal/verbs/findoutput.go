package verbs

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// hitSource is the input of a hit: its name, and its bytes to print what is around the hit.
type hitSource interface {
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
	*command.Output
	flags *findFlags
	color bool
	// explains says what the numbers are, for a person at a terminal.
	explains bool
	line     []byte
}

func newFindOutput(r *command.Run, f *findFlags) *findOutput {
	return &findOutput{Output: r.Out, flags: f, color: r.Out.Colors(), explains: r.Out.Terminal() && !f.byteOffset}
}

// around returns how many bytes on either side of a hit may be printed.
func (f *findFlags) around() int64 {
	switch {
	case f.line:
		return lineBytesMax
	case f.context > 0:
		return f.context + 2*rowBytes // whole rows
	}
	return 0
}

// hits prints a batch of hits and flushes it, so the reader of a pipe sees it at once.
func (o *findOutput) hits(in hitSource, hits []answer.Hit, withName bool) error {
	for _, h := range hits {
		if err := o.hit(in, h, withName); err != nil {
			return err
		}
	}
	return o.Flush()
}

// hit prints one hit.
func (o *findOutput) hit(in hitSource, h answer.Hit, withName bool) error {
	b := o.line[:0]
	t, _ := in.(*namedTensor)
	if o.flags.JSON {
		b = append(b, `{"file":`...)
		if t != nil {
			b = t.appendJSON(b, h.Off)
		} else {
			b = command.Text(in.Name()).AppendJSON(b)
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
			b = command.Text(text).AppendJSON(b)
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
	_, err := o.Write(b)
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
func nothingFound(r answer.Report) string {
	text := "nothing found in " + bytesize.Short(r.Bytes)
	if r.Skipped > 0 {
		text += fmt.Sprintf(" (%s of it holes)", bytesize.Short(r.Skipped))
	}
	return text
}

// end prints the JSON summary, if asked, and flushes.
func (o *findOutput) end(r answer.Report, complete bool) error {
	var err error
	if o.flags.JSON && !o.flags.Quiet {
		err = o.JSON(map[string]any{"summary": summary{r.Hits, r.Bytes, complete}})
	}
	return cmp.Or(o.Flush(), err)
}

// summary is the last line of the JSON output.
type summary struct {
	Hits     int64 `json:"hits"`
	Bytes    int64 `json:"bytes"`
	Complete bool  `json:"complete"`
}

// tellUnread reports ranges of an input that could not be read, on standard error and in JSON.
func tellUnread(r *command.Run, name string, ranges []failure.UnreadError) (err error) {
	r.Unread(ranges)
	for i := range ranges {
		if u := &ranges[i]; r.JSON && !r.Quiet {
			err = cmp.Or(err, r.Out.JSON(map[string]any{"file": command.Text(name), "unread": map[string]any{
				"offset": u.Off, "length": u.Len, "error": command.Flags(u.Err.Error())}}))
		}
	}
	return err
}
