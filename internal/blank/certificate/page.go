package certificate

import (
	_ "embed" // for page.html
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
		"class": Result.class, "pattern": ofPattern, "whole": whole,
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
	return certificate.Title(c.Result.class(), c.Result) + ": " + strings.Join(names, ", ")
}

func (r Result) class() string {
	return map[Result]string{Blank: certificate.Yes, NotBlank: certificate.No, Incomplete: certificate.Part}[r]
}

// whole reports whether the range is all of a device.
func whole(d Device) bool { return d.Kind != "stream" && d.Off == 0 && d.End == d.Bytes }
