package report

import (
	_ "embed" // the method
	"fmt"
	"io"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

//go:embed peers.txt
var peersMethod string

// Peers writes the page about comparisons with other programs, in Markdown: the pictures, the figures, the machine,
// and how they were measured.
func Peers(w io.Writer, experiments []*lab.Experiment, r lab.Results) error {
	var out strings.Builder
	beginning, method, _ := strings.Cut(peersMethod, "FIGURES\n")
	out.WriteString(beginning)
	m := r.Machine
	fmt.Fprintf(&out, "Measured on %s: %d processors, %s, %s of memory, %s, %s, %s.\n\n", day(m.Date), m.Processors,
		m.Processor, size(float64(m.MemoryBytes)), m.Kernel, m.FileSystem, m.GoVersion)
	for _, e := range experiments {
		if !compares(e) || len(comparisons(e, r)) == 0 {
			continue
		}
		fmt.Fprintf(&out, "```\n")
		if err := Compared(&out, e, r); err != nil {
			return err
		}
		fmt.Fprintf(&out, "```\n\n")
	}
	out.WriteString("| program | version |\n|---|---|\n")
	for _, name := range sortedKeys(m.Programs) {
		fmt.Fprintf(&out, "| %s | %s |\n", escape(name), escape(m.Programs[name]))
	}
	out.WriteString("\n" + method)
	_, err := io.WriteString(w, out.String())
	return err
}
