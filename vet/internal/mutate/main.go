// Command mutate measures recall: it takes copies that keep the path, the cases of package zerocopy and
// wrappers as real programs have them, loses the path in each of them in every way that it can, and asks
// the rules to find it.
//
//	go run ./vet/internal/mutate          the table, and what was not found
//	go run ./vet/internal/mutate -write   the table also goes into docs/vet-findings.md
//	go run ./vet/internal/mutate -show send.go   the mutants of a seed
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/section"
)

// pageFile is the page with the table.
const pageFile = "docs/vet-findings.md"

func main() {
	write := flag.Bool("write", false, "write the table into "+pageFile)
	show := flag.String("show", "", "print the mutants of this `seed`")
	flag.Parse()
	if err := run(*write, *show); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(write bool, show string) (err error) {
	seeds, err := loadSeeds("vet/internal/mutate/testdata/seeds")
	if err != nil {
		return err
	}
	mutants, err := mutate(seeds)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := find(vet.All(), folder, mutants); err != nil {
		return err
	}
	for _, m := range mutants {
		if show == m.seed {
			fmt.Printf("=== %s %s: %s, found %q\n%s\n", m.name, m.change, m.rule, m.reported, m.source)
		}
	}
	table := recallTable(mutants)
	fmt.Print(table)
	if write {
		return section.Write(pageFile, "recall", table)
	}
	return nil
}

// recallTable has a line for each rule, and names the mutants that were not found.
func recallTable(mutants []*mutant) string {
	var b, missed strings.Builder
	b.WriteString("| rule | losing mutants | found | recall |\n|---|--:|--:|--:|\n")
	var all, found int
	for _, r := range vet.Rules() {
		name := r.Analyzer.Name
		if r.Analyzer == vet.UnusedIgnore {
			continue // it is about comments
		}
		n, k := 0, 0
		for _, m := range mutants {
			if m.rule != name {
				continue
			}
			n++
			if m.found() {
				k++
			} else {
				fmt.Fprintf(&missed, "- %s: %s: %s\n", name, m.seed, m.change)
			}
		}
		all += n
		found += k
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", name, n, k, ratio(k, n))
	}
	fmt.Fprintf(&b, "| **all** | %d | %d | %s |\n", all, found, ratio(found, all))
	if missed.Len() > 0 {
		fmt.Fprintf(&b, "\nNot found:\n\n%s", missed.String())
	}
	return b.String()
}

func ratio(k, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(k)/float64(n))
}
