package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
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
