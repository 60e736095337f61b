package kernelbench

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// columns are the instruction sets with a column of their own; see column.
var columns = []cpu.ISA{cpu.AVX512, cpu.AVX2, cpu.SVE, cpu.NEON, cpu.Plain}

// Text returns the rows as an aligned table for people, in GB/s.
func Text(rows []Row) string {
	var text strings.Builder
	// A strings.Builder never fails, so neither do the writes to the table and its flush.
	table := tabwriter.NewWriter(&text, 0, 8, padding, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "GB/s in the L2 cache\tKiB\t")
	for _, isa := range columns {
		fmt.Fprintf(table, "%*v\t", len("123.4"), isa) // as wide as the rates of fast machines
	}
	fmt.Fprintln(table, "chosen\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%d\t", r.Kernel, r.Bytes>>10)
		for _, isa := range columns {
			cell := "-"
			if i := slices.IndexFunc(r.Speeds, func(s Speed) bool { return column(s.ISA) == isa }); i >= 0 {
				cell = fmt.Sprintf("%.1f", r.Speeds[i].GBps)
			}
			fmt.Fprintf(table, "%s\t", cell)
		}
		fmt.Fprintf(table, "%v\t\n", r.Chosen)
	}
	_ = table.Flush()
	return leftNames(text.String())
}

// column returns the column of an instruction set: AVX-512 with VBMI2 belongs to AVX-512.
func column(isa cpu.ISA) cpu.ISA {
	if isa == cpu.AVX512VBMI2 {
		return cpu.AVX512
	}
	return isa
}

// padding is the least number of spaces between columns.
const padding = 2

// leftNames aligns the first column, which holds words, to the left; the others hold numbers.
func leftNames(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " ")
		name := len(bare)
		if i := strings.Index(bare, "  "); i >= 0 {
			name = i
		}
		out.WriteString(bare[:name])
		out.WriteString(line[min(padding, len(line)-len(bare)) : len(line)-len(bare)])
		out.WriteString(bare[name:])
	}
	return out.String()
}

// SlowerText returns the variants that are slower than their plain twins as a table.
func SlowerText(all []Slower) string {
	if len(all) == 0 {
		return "no form is slower than its plain twin at any length\n"
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 8, padding, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "slower than plain\tform\tbytes\tns\tplain ns\ttimes\t")
	for _, s := range all {
		fmt.Fprintf(table, "%s\t%v\t%d\t%.1f\t%.1f\t%.2f\t\n", s.Kernel, s.ISA, s.Bytes, s.Nanoseconds, s.PlainTwin,
			s.Nanoseconds/s.PlainTwin)
	}
	_ = table.Flush()
	return leftNames(text.String())
}

// TimesText returns the times of calls as a table.
func TimesText(all []Timing) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 8, padding, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "a call of\tvariant\tbytes\tns\tGB/s\t")
	for _, t := range all {
		fmt.Fprintf(table, "%s\t%v\t%d\t%.1f\t%.2f\t\n", t.Kernel, t.ISA, t.Bytes, t.Nanoseconds,
			float64(t.Bytes)/t.Nanoseconds)
	}
	_ = table.Flush()
	return leftNames(text.String())
}
