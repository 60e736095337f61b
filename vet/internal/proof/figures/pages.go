package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/vet/internal/proof"
	"github.com/thresh-dev/thresh/vet/internal/section"
)

// pages has the shapes of each rule's page.
var pages = map[string][]string{
	"bypassedoverride": {"bypassedoverride"},
	"connwrapper":      {"connwrapper", "relayedconn"},
	"doublecount":      {"doublecount"},
	"hiddenfile":       {"hiddenfile", "hiddensection", "hiddenreader"},
	"ignoredbuffer":    {"ignoredbuffer"},
	"missinglength":    {"missinglength", "missingencodinglen"},
	"nestedlimit":      {"nestedlimit"},
	"responsewrapper":  {"responsewrapper"},
	"stalledstdout":    {"stalledstdout"},
}

// writePages writes the figures into the pages of rules whose shapes were all measured, and the table of
// reproduced findings.
func writePages(all *results) (err error) {
	for rule, shapes := range pages {
		if slices.ContainsFunc(shapes, func(s string) bool { _, ok := all.Shapes[s]; return !ok }) {
			continue
		}
		err = errors.Join(err, section.Write("docs/vet/"+rule+".md", "figures: "+rule, all.table(shapes)))
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(all.Shapes)) {
		if strings.HasPrefix(name, "found") {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return err
	}
	table, reproduced := all.reproduced(found)
	return errors.Join(err, reproduced, section.Write("docs/vet-findings.md", "reproduced", table))
}

// table has the figures of shapes.
func (r *results) table(shapes []string) string {
	var b strings.Builder
	b.WriteString("| shape | | system calls a GiB | processor time a GiB | path | counted |\n|---|---|--:|--:|---|--:|\n")
	for _, name := range shapes {
		s := r.Shapes[name]
		fmt.Fprintf(&b, "| [%s](../../vet/internal/proof/testdata/shapes/%[1]s.go) | flagged | %s |\n| | mended | %s |\n",
			name, s.Flagged.cells(), s.Fixed.cells())
	}
	fmt.Fprintf(&b, "\nOver loopback, processor time of the sender, median of five runs; %s.\n"+
		"`go run ./vet/internal/proof/figures` measures this anew.\n", r.Machine)
	return b.String()
}

func (f figures) cells() string {
	path, counted := "copied", "–"
	if f.Kept {
		path = "in the kernel"
	}
	if f.CountedShare > 0 {
		counted = fmt.Sprintf("%.0f %%", 100*f.CountedShare)
	}
	return fmt.Sprintf("%d | %.2f s | %s | %s", f.CallsPerGiB, f.SecondsPerGiB, path, counted)
}

// reproduced has a line for each finding that was made again as a shape.
func (r *results) reproduced(names []string) (string, error) {
	var b strings.Builder
	b.WriteString("| finding | rule | system calls a GiB | mended | processor time a GiB | mended | ratio |\n" +
		"|---|---|--:|--:|--:|--:|--:|\n")
	for _, name := range names {
		about, err := proof.About(".", name)
		if err != nil {
			return "", err
		}
		s := r.Shapes[name]
		fmt.Fprintf(&b, "| [%s](../vet/internal/proof/testdata/shapes/%s.go) | %s | %d | %d | %.2f s | %.2f s | %.1f |\n",
			about.Finding, name, about.Rule, s.Flagged.CallsPerGiB, s.Fixed.CallsPerGiB,
			s.Flagged.SecondsPerGiB, s.Fixed.SecondsPerGiB, s.Flagged.SecondsPerGiB/s.Fixed.SecondsPerGiB)
	}
	fmt.Fprintf(&b, "\nOver loopback, processor time of the sender, median of five runs; %s.\n", r.Machine)
	return b.String(), nil
}
