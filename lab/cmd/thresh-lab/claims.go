package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/measure"
	"github.com/thresh-dev/thresh/lab/report"
)

// judged is a claim with its verdict on a machine.
type judged struct {
	ID      string      `json:"id"`
	Claim   string      `json:"claim"`
	Theirs  string      `json:"theirs"`
	Machine string      `json:"machine"`
	Verdict lab.Verdict `json:"verdict"`
}

func newClaims(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "claims [flags] [FILE...]",
		Short: "say which of the published conclusions hold here, and why",
		Long: `claims prints, for each conclusion of the articles, their figure, the one
measured here, and the verdict: it holds, holds in part, does not hold here,
can't be told (the runs differ too much, were fewer than three, or others used
more than a fifth of the processors while something was timed), or was not
tested here. The reason follows, with the evidence for it.

A claim of a factor holds if the measured one is at least the published one to
the power of 0.6, whichever run counts, and in part if it is smaller but at
least 1.15. At the end it says for each of thresh's own rows whether it is the
best of its table, as good as the best (their runs overlap), or which limit
stopped it. FILE is what "run -o FILE" wrote; without one, the last session
counts.`,
		Example: `  thresh lab claims
  thresh lab claims zen4.json zen5.json
  thresh lab claims --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := load(c.folder, args)
			if err != nil {
				return err
			}
			var rows verdicts
			for _, r := range all {
				rows.add(catalog.All(), r)
			}
			if asJSON {
				return printJSON(c.out, rows)
			}
			return rows.print(c.out, len(all) > 1)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdicts as JSON")
	return cmd
}

// own is where a variant of this project stands on a machine.
type own struct {
	Machine string `json:"machine"`
	lab.Standing
}

// verdicts are what the results say of the claims and of this project's own rows, machine by machine.
type verdicts struct {
	Claims     []judged          `json:"claims"`
	Own        []own             `json:"own"`
	Unfinished []*lab.Unfinished `json:"unfinished,omitempty"`
}

// add judges results.
func (all *verdicts) add(experiments []*lab.Experiment, r lab.Results) {
	of := r.Machine
	if r.Unfinished != nil {
		all.Unfinished = append(all.Unfinished, r.Unfinished)
	}
	m := fmt.Sprintf("%s, %d processors, %s, %s", of.Processor, of.Processors, of.Kernel, of.FileSystem)
	for _, e := range experiments {
		for _, claim := range e.Claims {
			all.Claims = append(all.Claims, judged{claim.ID, claim.Text, claim.Theirs, m, claim.Judge(e, r)})
		}
		for _, s := range e.Standings(r) {
			all.Own = append(all.Own, own{m, s})
		}
	}
}

func (all *verdicts) print(w io.Writer, several bool) error {
	machine := ""
	heading := func(of string) {
		if several && of != machine {
			machine = of
			fmt.Fprintf(w, "== %s\n\n", machine)
		}
	}
	for _, j := range all.Claims {
		heading(j.Machine)
		fmt.Fprintf(w, "%s %s\n    %s\n", j.ID, j.Claim, strings.ToUpper(string(j.Verdict.Holds)))
		for _, line := range []struct{ name, text string }{
			{"theirs", j.Theirs}, {"ours", j.Verdict.Ours}, {"why", j.Verdict.Why},
			{"evidence", strings.Join(j.Verdict.Evidence, "; ")},
		} {
			if line.text != "" {
				fmt.Fprintf(w, "    %-9s %s\n", line.name, line.text)
			}
		}
		fmt.Fprintln(w)
	}
	for _, u := range all.Unfinished {
		fmt.Fprintf(w, "%s\n\n", u)
	}
	machine = ""
	for i, s := range all.Own {
		if i == 0 {
			fmt.Fprintf(w, "This project's own rows\n")
		}
		heading(s.Machine)
		fmt.Fprintf(w, "    %s\n", s)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printResults prints the figures of the experiments that were measured, beside the published ones.
func printResults(w io.Writer, experiments []*lab.Experiment, r lab.Results) error {
	for _, e := range experiments {
		if len(e.Variants) > 0 && e.Variants[0].Compare != nil {
			if err := report.Compared(w, e, r); err != nil {
				return err
			}
			fmt.Fprintln(w)
			continue
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		rows := 0
		for i := range r.Measurements {
			m := &r.Measurements[i]
			if v := variantOf(e, m.Variant); v != nil {
				rows++
				fmt.Fprintf(t, "  %s\n", strings.Join(resultRow(e, v, m), "\t"))
			}
		}
		if rows == 0 {
			continue
		}
		fmt.Fprintf(w, "%s, in %s (lowest to highest of the runs that count; published)\n", e.Name, e.Metric.Unit)
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if r.Unfinished != nil {
		fmt.Fprintf(w, "%s\n\n", r.Unfinished)
	}
	_, err := fmt.Fprintln(w, `"thresh lab claims" says which conclusions hold here; "thresh lab report" draws it`)
	return err
}

// resultRow returns the cells of a measurement.
func resultRow(e *lab.Experiment, v *lab.Variant, m *lab.Measurement) []string {
	name := strings.Join(append([]string{m.Variant}, measure.Conditions(m.Setting)...), ", ")
	switch s, ok := e.Figure(m); {
	case m.Skipped != "":
		return []string{name, "-", "", "", m.Skipped}
	case m.Wrong != "":
		return []string{name, "WRONG", "", "", fmt.Sprintf("answered %.60q, not %.60q", m.Wrong, m.Want)}
	case m.Profile != nil:
		return []string{name, "profiled", "", "", profileNote(m.Profile)}
	case !ok:
		return []string{name, "-", "", "", "not run"}
	default:
		spread := fmt.Sprintf("%s to %s", figure(s.Low), figure(s.High))
		return []string{name, figure(s.Value), spread, publishedFor(v, m.Setting), note(m)}
	}
}

// profileNote says how a profile was taken, and why without the kernel if it is.
func profileNote(p *lab.Profile) string {
	var samples int64
	for _, n := range p.Folded {
		samples += n
	}
	text := fmt.Sprintf("%d samples by %s", samples, p.Source)
	if p.Note != "" {
		text += "; the kernel's functions are missing: " + p.Note
	}
	return text
}

// note says what is to be known about a measurement, "" if nothing.
func note(m *lab.Measurement) string {
	var notes []string
	if m.Fewer != "" {
		notes = append(notes, m.Fewer)
	}
	if others := m.Others(); others != "" {
		notes = append(notes, others)
	}
	return strings.Join(notes, "; ")
}

// publishedFor returns the article's figure for a setting, "" if it has none.
func publishedFor(v *lab.Variant, s lab.Setting) string {
	for _, p := range v.Published {
		if p.Setting == s && p.Value != 0 {
			return figure(p.Value)
		}
	}
	return ""
}

func variantOf(e *lab.Experiment, id string) *lab.Variant {
	for i := range e.Variants {
		if e.Variants[i].ID == id {
			return &e.Variants[i]
		}
	}
	return nil
}

// figure formats a number with three digits that count, or all before the point.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
