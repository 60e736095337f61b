package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/measure"
)

// listed is a variant in the list.
type listed struct {
	ID        string          `json:"id"`
	What      string          `json:"what"`
	Unit      string          `json:"unit,omitempty"`
	Published []lab.Published `json:"published,omitempty"`
	Peer      bool            `json:"peer,omitempty"`
	Product   bool            `json:"product,omitempty"`
	Missing   string          `json:"missing,omitempty"` // what it would need here
}

func newList(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [flags] [EXPERIMENT...]",
		Short: "list the variants, their published figures, and which cannot run here",
		Long: `list prints every variant with its idea and the article's figures for it, and
what this machine or this program lacks to run it, if anything.`,
		Example: `  thresh lab list
  thresh lab list needle
  thresh lab list --json`,
		ValidArgsFunction: completeExperiments,
		RunE: func(_ *cobra.Command, args []string) error {
			experiments := catalog.All()
			if len(args) > 0 {
				var err error
				if experiments, err = catalog.Named(args...); err != nil {
					return err
				}
			}
			if asJSON {
				var all []listed
				for _, e := range experiments {
					all = append(all, listedOf(e)...)
				}
				return printJSON(c.out, all)
			}
			for _, e := range experiments {
				if err := printList(c.out, e); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

func listedOf(e *lab.Experiment) (all []listed) {
	for i := range e.Variants {
		v := &e.Variants[i]
		all = append(all, listed{v.ID, v.What, e.Metric.Unit, v.Published, v.Peer, v.Product, measure.Missing(v)})
	}
	return all
}

func printList(w io.Writer, e *lab.Experiment) error {
	fmt.Fprintf(w, "%s: %s\n%s\n", e.Name, e.Article.Title, e.Article.URL)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range listedOf(e) {
		what := v.What
		if text := publishedText(v.Published, v.Unit); text != "" {
			what += "; published: " + text
		}
		if v.Missing != "" {
			what += "; NOT HERE: " + v.Missing
		}
		fmt.Fprintf(t, "  %s\t%s\n", v.ID, what)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// publishedText formats the published figures of a variant: "warm 749 MB/s, cold 491 MB/s".
func publishedText(all []lab.Published, unit string) string {
	var texts []string
	for _, p := range all {
		var words []string
		if len(all) > 1 {
			words = measure.Conditions(p.Setting)
		}
		if p.Value != 0 {
			words = append(words, strings.TrimSpace(figure(p.Value)+" "+unit))
		}
		if p.Text != "" {
			words = append(words, "("+p.Text+")")
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return strings.Join(texts, ", ")
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
