package certificate

import (
	_ "embed" // for page.html
	"fmt"
	"html/template"
	"strings"

	"github.com/thresh-dev/thresh/internal/certificate"
)

//go:embed page.html
var page string

// HTML returns the document as a page to print and sign: one or more sheets for each device. It
// contains the certificate as JSON, and its digest.
func (c Certificate) HTML() ([]byte, error) {
	c.Digest = "" // that of the page, at its end
	return certificate.Page{Title: c.title(), Verb: "blank", Content: c}.HTML(page, template.FuncMap{
		"title": title, "class": class, "symbol": symbol, "pattern": ofPattern, "whole": whole,
	})
}

// title names the document, for lists of files and for the margin of a printed page.
func (c Certificate) title() string {
	var names []string
	for _, d := range c.Devices {
		name := d.Name
		if d.Serial != "" {
			name += " " + d.Serial
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%s: %s", title(c.Result), strings.Join(names, ", "))
}

func title(r Result) string {
	switch r {
	case Blank:
		return "Certificate: blank"
	case NotBlank:
		return "Report: not blank"
	}
	return "Report: incomplete"
}

func class(r Result) string {
	return map[Result]string{Blank: "yes", NotBlank: "no", Incomplete: "part"}[r]
}

func symbol(r Result) string {
	return map[Result]string{Blank: "✓", NotBlank: "✗", Incomplete: "?"}[r]
}

// whole reports whether the range is all of a device.
func whole(d Device) bool { return d.Kind != "stream" && d.Off == 0 && d.End == d.Bytes }
