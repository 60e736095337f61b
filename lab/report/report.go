// Package report shows what the lab measured: as one page that needs nothing from elsewhere, and as
// Markdown for pasting. Of one session it shows everything, of several which claim holds where, and their
// scoreboards side by side.
//
// Go makes all texts, tables and the points of the charts. The page's script only draws and sorts; without
// it the tables still say everything but the flame graphs.
package report

import (
	"bytes"
	"compress/gzip"
	"embed"
	_ "embed" // the method
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	webpage "github.com/thresh-dev/thresh/internal/output/page"
	"github.com/thresh-dev/thresh/lab"
)

//go:embed page.html page.css script/*.js charts/charts.min.js.gz
var files embed.FS

// HTML writes a page about results. It shows the experiments that have a measurement in any of them.
func HTML(w io.Writer, experiments []*lab.Experiment, results []lab.Results) error {
	p, err := makePage(experiments, results)
	if err != nil {
		return err
	}
	if err := p.addFiles(); err != nil {
		return err
	}
	parsed, err := template.New("page.html").ParseFS(files, "page.html")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var out bytes.Buffer // so that an error leaves no half a page
	if err := parsed.Execute(&out, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("report: write the page: %w", err)
	}
	return nil
}

var errNoResults = errors.New("report: no results to show: thresh lab run makes some")

// addFiles puts style and scripts into a page, and a policy by which nothing else can run or be loaded.
func (p *page) addFiles() error {
	style, err := files.ReadFile("page.css")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	script, err := pageScript()
	if err != nil {
		return err
	}
	charts, err := bundle()
	if err != nil {
		return err
	}
	p.Style, p.Script, p.Library = template.CSS(webpage.Style+string(style)), template.JS(script), template.JS(charts)
	p.Policy = webpage.Policy("'none'", string(charts), string(script))
	return nil
}

// parts are the files of the page's script: what charts are made of, the kinds of charts, then what draws
// them and sorts the tables.
var parts = []string{"parts", "bars", "lines", "flame", "draw"}

// pageScript puts the page's script together, in a function so that nothing of it is global.
func pageScript() ([]byte, error) {
	script := []byte("'use strict';\n(() => {\n")
	for _, name := range parts {
		text, err := files.ReadFile("script/" + name + ".js")
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		script = append(script, text...)
	}
	return append(script, webpage.Sort+"drawAll();\n})();\n"...), nil
}

// bundle returns the chart library.
func bundle() ([]byte, error) {
	f, err := files.Open("charts/charts.min.js.gz")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	defer func() { _ = f.Close() }() // it lies in memory
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("report: the chart library: %w", err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, fmt.Errorf("report: the chart library: %w", err)
	}
	return text, nil
}

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
