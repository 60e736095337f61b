// Command figures measures the shapes of package proof, flagged and mended, and writes what they cost into
// the pages of the rules and into docs/vet-findings.md.
//
//	go run ./vet/internal/proof/figures -shape '^nested'   measures these shapes, and keeps the results
//	go run ./vet/internal/proof/figures -shape '^$'        only writes the pages anew
//
// The results are kept in figures.json, so that the shapes can be measured in parts. The machine should do
// nothing else.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/vet/internal/proof"
)

// resultsFile keeps the results.
const resultsFile = "vet/internal/proof/figures/figures.json"

func main() {
	shape := flag.String("shape", "", "only shapes whose name matches this `regexp`")
	rounds := flag.Int("rounds", 5, "how often each shape is measured")
	fileBytes := flag.Int64("bytes", 256<<20, "size of the file")
	program := flag.String("program", "", "the shapes as `program`; by default they are built")
	flag.Parse()
	if err := run(context.Background(), *shape, *program, *rounds, *fileBytes); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, shape, program string, rounds int, fileBytes int64) (err error) {
	chosen, err := regexp.Compile(shape)
	if err != nil {
		return err
	}
	names, err := proof.Shapes(".")
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !chosen.MatchString(n) || n == "plain" })
	all, err := readResults(resultsFile)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		if err := measureAll(ctx, all, names, program, rounds, fileBytes); err != nil {
			return err
		}
		if err := all.write(resultsFile); err != nil {
			return err
		}
	}
	return writePages(all)
}

// measureAll measures the shapes with the names.
func measureAll(
	ctx context.Context, all *results, names []string, program string, rounds int, fileBytes int64,
) (err error) {
	folder, err := os.MkdirTemp("", "figures-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if program == "" {
		if program, err = proof.Build(ctx, ".", folder); err != nil {
			return err
		}
	}
	file := filepath.Join(folder, "data")
	if err := os.WriteFile(file, make([]byte, fileBytes), 0o600); err != nil {
		return err
	}
	all.Machine = machine()
	for _, name := range names {
		r, err := measure(ctx, program, name, file, rounds)
		if err != nil {
			return err
		}
		all.Shapes[name] = r
		fmt.Printf("%-20s %6.2f s/GiB, mended %6.2f; %d calls/GiB, mended %d\n",
			name, r.Flagged.SecondsPerGiB, r.Fixed.SecondsPerGiB, r.Flagged.CallsPerGiB, r.Fixed.CallsPerGiB)
	}
	return nil
}

// stall is how long the reader of stalledstdout's output pauses.
const stall = 700 * time.Millisecond

// measure runs the variants of a shape in turn, and once more each to count the system calls.
func measure(ctx context.Context, program, name, file string, rounds int) (r result, err error) {
	one := func(variant string, trace bool) (proof.Outcome, error) {
		o := proof.Run{Program: program, Shape: name, Variant: variant, File: file, Trace: trace}
		if name == "stalledstdout" {
			o.StallFor = stall
		}
		return o.Do(ctx)
	}
	seconds := map[string][]float64{}
	for range rounds {
		for _, variant := range []string{proof.Flagged, proof.Fixed} {
			o, err := one(variant, false)
			if err != nil {
				return r, err
			}
			seconds[variant] = append(seconds[variant], o.CPUSeconds/gib(o.Bytes))
		}
	}
	for variant, v := range map[string]*figures{proof.Flagged: &r.Flagged, proof.Fixed: &r.Fixed} {
		o, err := one(variant, true)
		if err != nil {
			return r, err
		}
		v.SecondsPerGiB = median(seconds[variant])
		v.CallsPerGiB = int64(float64(o.Calls.Number()) / gib(o.Bytes))
		v.Kept = o.Calls.Kept() >= o.Bytes*3/4
		v.CountedShare = float64(o.Counted) / float64(o.Bytes)
	}
	return r, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }
