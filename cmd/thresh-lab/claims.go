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
can't be told (the runs differ too much), or was not tested here. The reason
follows, with the evidence for it.

A claim of a factor holds if the measured one is at least the published one to
the power of 0.6, whichever run counts, and in part if it is smaller but at
least 1.15. FILE is what "run -o FILE" wrote; without one, the last session
counts.`,
		Example: `  thresh lab claims
  thresh lab claims zen4.json zen5.json
  thresh lab claims --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := load(c.folder, args)
			if err != nil {
				return err
			}
			var rows []judged
			for _, r := range all {
				rows = append(rows, judge(catalog.All(), r)...)
			}
			if asJSON {
				return printJSON(c.out, rows)
			}
			return printClaims(c.out, rows, len(all) > 1)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdicts as JSON")
	return cmd
}

// judge returns a verdict on each claim of the experiments.
func judge(experiments []*lab.Experiment, r lab.Results) (rows []judged) {
	of := r.Machine
	m := fmt.Sprintf("%s, %d processors, %s, %s", of.Processor, of.Processors, of.Kernel, of.FileSystem)
	for _, e := range experiments {
		for _, claim := range e.Claims {
			rows = append(rows, judged{claim.ID, claim.Text, claim.Theirs, m, claim.Judge(e, r)})
		}
	}
	return rows
}

func printClaims(w io.Writer, rows []judged, several bool) error {
	machine := ""
	for _, j := range rows {
		if several && j.Machine != machine {
			machine = j.Machine
			fmt.Fprintf(w, "== %s\n\n", machine)
		}
		fmt.Fprintf(w, "%s %s\n    %s\n", j.ID, j.Claim, strings.ToUpper(string(j.Verdict.Holds)))
		for _, line := range []struct{ name, text string }{
			{"theirs", j.Theirs}, {"ours", j.Verdict.Ours}, {"why", j.Verdict.Why},
			{"evidence", strings.Join(j.Verdict.Evidence, "; ")},
		} {
			if line.text != "" {
				fmt.Fprintf(w, "    %-9s %s\n", line.name, line.text)
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
