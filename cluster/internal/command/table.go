package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
)

func newTable(p *printer) *cobra.Command {
	var delim, quote, malformed, format, where, group, agg, topBy, sort string
	var tops []string
	var header, noHeader, rows bool
	var limit int64
	cmd := &cobra.Command{
		Use: "table [flags] FILE...", Short: "what does it add up to? records, groups, sums over delimited text",
		Args: cobra.MinimumNArgs(1),
		Long: "KEY, --agg and --where are written as for thresh table; see thresh table --help.",
		Example: `  thresh cluster table 'orders-*.csv' --where 'amount > 100' \
    --group country --agg 'count,sum(amount),p99(amount)' -o countries.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			spec := query.Spec{Where: where, Dialect: query.Dialect{Header: header, NoHeader: noHeader}}
			var err error
			if spec.Dialect.Delim, err = oneByte("delimiter", delim); err != nil {
				return err
			}
			if quote != "none" {
				if spec.Dialect.Quote, err = oneByte("quote", quote); err != nil {
					return err
				}
			}
			how, known := map[string]options.Malformed{"fail": options.MalformedFail, "skip": options.MalformedSkip,
				"keep": options.MalformedKeep}[malformed]
			if !known {
				return fmt.Errorf("--malformed %s is unknown (known: fail, skip, keep)", malformed)
			}
			spec.Malformed = how
			if rows {
				spec.Questions = append(spec.Questions, query.Question{Kind: query.Rows})
			}
			if group != "" || agg != "" {
				by := topBy
				switch {
				case sort == "value" && topBy != "":
					return errors.New("--sort value and --top-by contradict each other: give one of them")
				case sort == "value":
					by = query.ByFirst
				case sort != "" && sort != "key":
					return fmt.Errorf("--sort %s is unknown (known: key, value)", sort)
				}
				spec.Questions = append(spec.Questions, query.Question{Kind: query.Group, Keys: group, Aggregates: agg, By: by,
					Limit: limit})
			} else if topBy != "" || sort != "" || limit != 0 {
				return errors.New("--sort, --top-by and --limit are for --group")
			}
			for _, text := range tops {
				ask, err := top(text)
				if err != nil {
					return err
				}
				spec.Questions = append(spec.Questions, ask)
			}
			if len(spec.Questions) == 0 {
				return errors.New("what to answer? ask with --rows, --group, --agg or --top")
			}
			written, err := p.format(format)
			if err != nil {
				return err
			}
			q := cluster.Question{Verb: cluster.Table, Table: spec}
			return p.ask(cmd.Context(), &q, args, func(a *cluster.Answer, to io.Writer) error {
				return p.table(cmd.Context(), a, to, written)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&delim, "delimiter", "d", ",", "the `BYTE` between fields; \\t is a tab")
	flags.BoolVar(&header, "header", false, "the first record of each input names the columns")
	flags.BoolVar(&noHeader, "no-header", false, "the first record is a record (default if no question names a column)")
	flags.StringVar(&quote, "quote", `"`, "the `BYTE` around fields: \", or none")
	flags.BoolVar(&rows, "rows", false, "how many records")
	flags.StringVar(&group, "group", "", "groups by `KEY[,KEY...]`")
	flags.StringVar(&agg, "agg", "", "aggregates of the groups: `LIST` such as 'count,sum(amount),p99(amount)'")
	flags.StringVar(&sort, "sort", "", "order of groups: `HOW` is key or value (default key)")
	flags.StringVar(&topBy, "top-by", "", "order groups by the aggregate `AGG`, greatest first")
	flags.Int64Var(&limit, "limit", 0, "print `N` groups only")
	flags.StringArrayVar(&tops, "top", nil, "the `N:KEY` most frequent keys; may be repeated")
	flags.StringVar(&where, "where", "", "use only the records for which `EXPR` is true")
	flags.StringVar(&malformed, "malformed", "fail", "what to do with malformed records: `HOW` is fail, skip or keep")
	flags.StringVar(&format, "format", "", "`FORMAT` is table, csv, json, arrow or parquet")
	return cmd
}

// top parses a question about the most frequent keys: "10:country".
func top(text string) (query.Question, error) {
	ask := query.Question{Kind: query.Top}
	if n, err := fmt.Sscanf(text, "%d:%s", &ask.Limit, new(string)); n != 2 || err != nil || ask.Limit <= 0 {
		return ask, fmt.Errorf("--top %q: write N:KEY, such as 10:country", text)
	}
	for i := range text {
		if text[i] == ':' {
			ask.Keys = text[i+1:]
			break
		}
	}
	return ask, nil
}

func oneByte(flag, text string) (byte, error) {
	if text == `\t` {
		return '\t', nil
	}
	if len(text) != 1 {
		return 0, fmt.Errorf("--%s %q: it must be one byte", flag, text)
	}
	return text[0], nil
}

// format returns the format of a table's answers.
func (p *printer) format(name string) (options.Format, error) {
	named, ok := thresh.FormatOf(p.output)
	switch {
	case p.json && name != "" && name != "json":
		return "", fmt.Errorf("--json and --format %s contradict each other", name)
	case p.json:
		return options.FormatJSON, nil
	case name != "":
		return options.Format(name), nil
	case ok:
		return named, nil
	case isTerminal(p.stdout) && p.output == "":
		return options.FormatTable, nil
	}
	return options.FormatCSV, nil
}

// table prints the answers about a table, and notes about what was left out.
func (p *printer) table(ctx context.Context, a *cluster.Answer, to io.Writer, format options.Format) error {
	w, err := thresh.NewWriter(to,
		options.Writer{Format: format, Answers: len(a.Question.Table.Questions), File: p.output != ""})
	if err != nil {
		return err
	}
	report, err := a.WriteTable(ctx, w)
	if err == nil {
		err = w.Close()
	}
	if err != nil || p.quiet {
		return err
	}
	return p.notes(&report)
}

// notes reports what was left out of the answers.
func (p *printer) notes(r *answer.TableReport) error {
	for _, b := range r.NonNumeric {
		if _, err := fmt.Fprintf(p.stderr,
			"thresh-cluster: note: column %s: fields that are not numbers were skipped: %d; the first: %v\n",
			b.Column, b.Count, &b.First); err != nil {
			return err
		}
	}
	if r.Malformed > 0 && len(r.Problems) > 0 {
		_, err := fmt.Fprintf(p.stderr, "thresh-cluster: note: malformed records: %d (%d lines, %d bytes); the first: %v\n",
			r.Malformed, r.MalformedLines, r.MalformedBytes, &r.Problems[0])
		return err
	}
	return nil
}
