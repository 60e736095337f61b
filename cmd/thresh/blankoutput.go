package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/blank/certificate"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/receipt"
)

// print prints the answer for each input, and its unread ranges on standard error.
func (r *blankRun) print(doc *certificate.Certificate, interrupted bool) (err error) {
	for i, d := range doc.Devices {
		r.unread(r.inputs[i].Name, d.Unread)
	}
	if r.Quiet {
		return nil
	}
	if r.Output == "" || r.Output == "-" {
		if err := r.answers(r.console.Out, doc); err != nil {
			return fmt.Errorf("write standard output: %w", err)
		}
		return nil
	}
	f, err := outfile.Create(r.Output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Abort()) }()
	if err := r.answers(f, doc); err != nil {
		return err
	}
	if interrupted {
		return nil // the file would look complete
	}
	return f.Commit(f.Replaces())
}

// unread names the ranges that could not be read.
func (r *blankRun) unread(name string, ranges journal.Ranges) {
	for _, s := range ranges.List {
		u := failure.UnreadError{Name: name, Off: s.Off, Len: s.Len, Err: errors.New(s.Why)}
		fmt.Fprintf(r.console.Err, "thresh: %v\n", &u)
	}
	if n := ranges.Unlisted(); n > 0 {
		more := numeral.Count(n, "more unread range")
		fmt.Fprintf(r.console.Err, "thresh: read %s: and %s; --limit N lists more\n", name, more)
	}
}

// answers writes the answers as text or JSON lines.
func (r *blankRun) answers(to io.Writer, doc *certificate.Certificate) error {
	w := bufio.NewWriter(to)
	if r.JSON {
		return errors.Join(r.answersJSON(json.NewEncoder(w), doc), w.Flush())
	}
	for i, d := range doc.Devices {
		prefix := ""
		if len(doc.Devices) > 1 {
			prefix = r.inputs[i].Name + ": "
		}
		fmt.Fprintf(w, "%s%s\n", prefix, d.Sentence)
		for _, s := range d.Other.List {
			fmt.Fprintf(w, "  from %d: %s\n", s.Off, numeral.Count(s.Len, "byte"))
		}
		if n := d.Other.Unlisted(); n > 0 {
			fmt.Fprintf(w, "  and %s; --limit N lists more\n", numeral.Count(n, "more range"))
		}
	}
	return w.Flush()
}

// blankSummary is the last line of the JSON output.
type blankSummary struct {
	Inputs   int   `json:"inputs"`
	Blank    int   `json:"blank"`
	Bytes    int64 `json:"bytes"`
	Complete bool  `json:"complete"`
}

func (r *blankRun) answersJSON(to *json.Encoder, doc *certificate.Certificate) error {
	sum := blankSummary{Inputs: len(doc.Devices), Complete: true}
	for i, d := range doc.Devices {
		line := struct {
			File command.Text `json:"file"`
			certificate.Device
		}{command.Text(r.inputs[i].Name), d}
		if err := to.Encode(line); err != nil {
			return err
		}
		sum.Bytes += d.End - d.Off
		sum.Complete = sum.Complete && d.Result != certificate.Incomplete
		if d.Result == certificate.Blank {
			sum.Blank++
		}
	}
	return to.Encode(map[string]any{"summary": sum})
}

// printReceipt prints the receipt on standard error, if one is wanted.
func (r *blankRun) printReceipt(measured receipt.Receipt, doc *certificate.Certificate, interrupted bool) {
	wanted := r.Receipt != "" || command.IsTerminal(r.console.Err) && !r.Quiet && !interrupted
	if !wanted {
		return
	}
	for i, in := range r.inputs {
		measured.Skipped += doc.Devices[i].Holes
		measured.Use(receipt.EngineUse{Engine: in.Engine, Workers: in.Workers,
			Bytes: doc.Devices[i].Read - r.Past[i].Done.Read})
	}
	r.console.PrintReceipt(measured, r.Receipt)
}

// show draws a line for each input, and rewrites them until stop is called.
func (r *blankRun) show() (stop func()) {
	terminal := command.IsTerminal(r.console.Err)
	if r.Progress == "never" || r.Progress == "auto" && (r.Quiet || !terminal) {
		return func() {}
	}
	wait := time.Duration(0)
	if r.Progress == "auto" {
		wait = command.BarAfter
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		began := time.Now()
		next := time.NewTimer(wait)
		defer next.Stop()
		lines := make([]command.Progress, len(r.inputs))
		for drawn := false; ; drawn = true {
			select {
			case <-quit:
				if wait == 0 { // --progress always: leave the final state on the screen
					r.draw(lines, true, drawn, time.Since(began))
				} else if drawn {
					fmt.Fprint(r.console.Err, strings.Repeat("\x1b[A"+command.ClearLine, len(r.inputs)))
				}
				return
			case <-next.C:
			}
			r.draw(lines, false, drawn, time.Since(began))
			next.Reset(command.BarEvery)
		}
	}()
	return func() { close(quit); <-gone }
}

// draw writes a line for each input over those drawn before. The rate is that of this session: of an input of which a
// part was done in earlier ones, the rest is as long as if this session had only that to do.
func (r *blankRun) draw(lines []command.Progress, ended, again bool, took time.Duration) {
	var b strings.Builder
	if again {
		b.WriteString(strings.Repeat("\x1b[A", len(r.inputs)))
	}
	columns := command.ColumnsOf(r.console.Err)
	for i, in := range r.inputs {
		past, p := r.Past[i].Done.End-r.Past[i].Done.Off, &lines[i]
		p.Name, p.Total, p.Ended = in.Name, in.Range.Len()-past, ended
		if in.Range.End == math.MaxInt64 {
			p.Total, past = 0, 0 // a stream
		} else if past > 0 {
			p.Name += " (after " + bytesize.Text(past) + ")"
		}
		p.At(r.done[i].Bytes.Load()-past, took)
		b.WriteString(command.ClearLine + p.Line(columns) + "\n")
	}
	fmt.Fprint(r.console.Err, b.String())
}
