package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/wall"
)

// comparison is the result of --compare.
type comparison struct {
	Commands [2]compared `json:"commands"`
	// Ratio is how many times as long as the second command the first one took, by rounds.
	Ratio    float64   `json:"ratio"` // median
	RatioMin float64   `json:"ratio_min"`
	RatioMax float64   `json:"ratio_max"`
	Ratios   []float64 `json:"ratios"`
}

// compared is one of the commands.
type compared struct {
	Command string        `json:"command"`
	Seconds []float64     `json:"seconds"` // of each round
	Median  float64       `json:"median"`
	Rounds  []wall.Report `json:"rounds"`
}

// runCompare runs two commands of the shell in turn. A round before the first is not counted: it fills
// the caches for both.
func (f *wallFlags) runCompare(ctx context.Context, c *command.Console, args []string, out *outfile.File) error {
	ctx, stop := command.UntilSignal(ctx)
	defer stop()
	var r comparison
	seconds, err := quantile.Turns(2, f.rounds, func(side int) (float64, error) {
		report, err := runQuietly(ctx, c, args[side])
		if ctx.Err() != nil {
			return 0, command.Exit(command.Interrupted, errors.New("interrupted: nothing was compared"))
		}
		if err != nil {
			return 0, command.Exit(command.WrongUsage, fmt.Errorf("run %s: %w", args[side], err))
		}
		report.Timeline = nil // many, and seldom looked at
		r.Commands[side].Rounds = append(r.Commands[side].Rounds, report)
		return max(report.Elapsed.Seconds(), 1e-9), nil
	})
	if err != nil {
		return err
	}
	for k := range r.Commands {
		rounds := r.Commands[k].Rounds[1:] // without the one that is not counted
		r.Commands[k] = compared{args[k], seconds[k], quantile.Median(seconds[k]), rounds}
	}
	r.Ratios = quantile.Ratios(seconds[0], seconds[1])
	s := quantile.SpreadOf(r.Ratios)
	r.Ratio, r.RatioMin, r.RatioMax = s.Median, s.Low, s.High
	return f.printComparison(c, &r, out)
}

// runQuietly runs a command of the shell without input and output. Its errors are printed.
func runQuietly(ctx context.Context, c *command.Console, command string) (wall.Report, error) {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stderr = c.Err
	signals := catchSignals() // SIGPIPE is not ignored in the command
	signals.stop()
	return wall.Run(ctx, cmd, wall.Options{Orphans: true})
}

// verdict returns what most rounds say, in the words of the round whose time is nearest to the median.
func (k *compared) verdict() string {
	times := map[wall.Wall]int{}
	for _, r := range k.Rounds {
		times[r.Wall]++
	}
	best := k.Rounds[0]
	for _, r := range k.Rounds[1:] {
		near := abs(r.Elapsed.Seconds()-k.Median) < abs(best.Elapsed.Seconds()-k.Median)
		if times[r.Wall] > times[best.Wall] || times[r.Wall] == times[best.Wall] && near {
			best = r
		}
	}
	text := best.Sentence
	if n := times[best.Wall]; n < len(k.Rounds) {
		text += fmt.Sprintf(" (in %d of %d rounds)", n, len(k.Rounds))
	}
	return text
}

func abs(v float64) float64 { return max(v, -v) }

func (f *wallFlags) printComparison(c *command.Console, r *comparison, out *outfile.File) error {
	var b strings.Builder
	if f.json {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		b.Write(append(text, '\n'))
	} else {
		for k, name := range []string{"A", "B"} {
			o := &r.Commands[k]
			fmt.Fprintf(&b, "%s  %.3f s (%.3f to %.3f)  %s\n   wall: %s\n", name, o.Median,
				slices.Min(o.Seconds), slices.Max(o.Seconds), o.Command, o.verdict())
		}
		fmt.Fprintf(&b, "%s\n", r.sentence())
	}
	if out == nil {
		_, err := c.Out.WriteString(b.String())
		return err
	}
	if _, err := out.Write([]byte(b.String())); err != nil {
		return err
	}
	return out.Commit(true)
}

// sentence says which command is faster, if all rounds agree, and there are enough to know how much they differ.
func (r *comparison) sentence() string {
	switch {
	case len(r.Ratios) < quantile.RunsLeast:
		return fmt.Sprintf("A takes %.2f times as long as B; it takes %d rounds to know how much they differ",
			r.Ratio, quantile.RunsLeast)
	case r.RatioMin > 1:
		return fmt.Sprintf("B is %.2f times as fast as A (%.2f to %.2f)", r.Ratio, r.RatioMin, r.RatioMax)
	case r.RatioMax < 1:
		return fmt.Sprintf("A is %.2f times as fast as B (%.2f to %.2f)", 1/r.Ratio, 1/r.RatioMax, 1/r.RatioMin)
	}
	return fmt.Sprintf("no difference that all rounds show: A takes %.2f times as long as B (%.2f to %.2f)",
		r.Ratio, r.RatioMin, r.RatioMax)
}
