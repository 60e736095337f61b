// Package wallreport writes the report of package wall as a page for a browser: one file, without
// scripts, for light and dark and for phones.
package wallreport

import (
	"bytes"
	_ "embed" // for page.html and page.css
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	shared "github.com/thresh-dev/thresh/internal/output/page"
	"github.com/thresh-dev/thresh/wall"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

// pageData is what the template shows.
type pageData struct {
	wall.Report
	Style  template.CSS
	Title  string
	Phases []phase
	Walls  []share
	Charts []chart
	Facts  []fact
}

// phase is a phase with its place on the bar, in percent.
type phase struct {
	wall.Phase
	Class        string
	Left, Length float64
}

type share struct {
	wall.Share
	Class   string
	Percent float64
}

type fact struct{ Name, Value string }

// HTML returns the page.
func HTML(r wall.Report) ([]byte, error) {
	// The template is parsed here, so that other runs of the program start without it.
	t, err := template.New("wall").Funcs(template.FuncMap{
		"seconds": seconds, "command": command,
	}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("thresh: bug: the page of wall: %w", err)
	}
	total := max(r.Evidence.Seconds, 1e-9)
	d := pageData{Report: r, Style: template.CSS(shared.Style + style), Title: string(r.Wall) + ": " + command(r.Command),
		Charts: charts(r), Facts: facts(r)}
	for _, p := range r.Phases {
		d.Phases = append(d.Phases, phase{p, class(p.Wall), 100 * p.From / total, 100 * (p.To - p.From) / total})
	}
	for _, s := range r.Walls {
		d.Walls = append(d.Walls, share{s, class(s.Wall), 100 * s.Share})
	}
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return nil, fmt.Errorf("report of a wall: %w", err)
	}
	return b.Bytes(), nil
}

// class returns the name of a wall's colour in the style.
func class(w wall.Wall) string { return strings.ReplaceAll(strings.ToLower(string(w)), " ", "-") }

func command(words []string) string { return strings.Join(words, " ") }

func seconds(v float64) string { return fmt.Sprintf("%.3g s", v) }

// facts are the numbers of the whole run.
func facts(r wall.Report) []fact {
	e := &r.Evidence
	all := []fact{
		{"Elapsed", seconds(r.Elapsed.Seconds())},
		{"Processor time", fmt.Sprintf("%s in programs, %s in the kernel, %s in all", seconds(r.User.Seconds()),
			seconds(r.System.Seconds()), seconds((r.User + r.System).Seconds()))},
		{"Waited for a processor", seconds(e.Queue) + ", summed over threads"},
		{"Other programs", seconds(max(0, e.OtherCPU)) + " of processor time meanwhile"},
		{"Reads and writes", fmt.Sprintf("%d calls that read %s, %d that wrote %s", e.ReadCalls,
			bytesize.Decimal(e.ReadChars), e.WriteCalls, bytesize.Decimal(e.WriteChars))},
		{"Storage", fmt.Sprintf("%s read, %s written", bytesize.Decimal(e.ReadStorage), bytesize.Decimal(e.WriteStorage))},
		{"Page faults", fmt.Sprintf("%d, and %d that waited for storage", e.MinorFaults, e.MajorFaults)},
		{"Processes", fmt.Sprintf("at most %d at once, with %d threads; up to %d were started", e.ProcessesMax,
			e.ThreadsMax, e.Forks)},
		{"Machine", fmt.Sprintf("%s, %d processors", r.Machine.System, r.Machine.CPUs)},
		{"Began", r.Began.Format(time.RFC3339)},
		{"Watching", fmt.Sprintf("%d samples, %v of processor time", e.Samples, r.Sampler.Round(100*time.Microsecond))},
	}
	if r.Machine.QuotaCPUs > 0 {
		quota := fmt.Sprintf("%.3g processors, stopped for %s", r.Machine.QuotaCPUs, seconds(e.Throttled))
		all = append(all, fact{"Quota", quota})
	}
	return all
}
