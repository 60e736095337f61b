package certificate

import (
	"bytes"
	_ "embed" // for page.html and page.css
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	shared "github.com/thresh-dev/thresh/internal/output/page"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

// pageData is what the template shows.
type pageData struct {
	Certificate
	Title string
	Style template.CSS
	Data  template.HTML
}

// HTML returns the document as a page to print and sign: one or more sheets for each device. It
// contains the certificate as JSON, and its digest.
func (c Certificate) HTML() ([]byte, error) {
	// The template is parsed here, so that other runs of the program start without it.
	t, err := template.New("certificate").Funcs(template.FuncMap{
		"title": title, "class": class, "symbol": symbol, "pattern": ofPattern, "size": exactBytes,
		"count": numeral.Count[int64], "time": timeText, "rate": rateText, "whole": whole,
		"join": func(list []string) string { return strings.Join(list, ", ") },
	}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("thresh: bug: the page of the certificate: %w", err)
	}
	c.Digest = "" // that of the page, at its end
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	c.Digest = placeholder
	var b bytes.Buffer
	err = t.Execute(&b, pageData{Certificate: c, Title: c.title(), Style: template.CSS(shared.Style + style),
		// Marshal has escaped <, > and &, so that the text cannot end the element.
		Data: template.HTML(dataBegins + string(data) + dataEnds)})
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return seal(b.Bytes())
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

// exactBytes returns a number of bytes for people, and exactly.
func exactBytes(n int64) string {
	if n < 1<<10 {
		return bytesize.Precise(n)
	}
	return fmt.Sprintf("%s (%d bytes)", bytesize.Precise(n), n)
}

func timeText(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") }

// rateText says how long the last session took, which read all devices at once.
func rateText(r Run) string {
	return fmt.Sprintf("%s in %s, %.2f GB/s for all devices", bytesize.Precise(r.Bytes),
		(time.Duration(r.Seconds * float64(time.Second))).Round(time.Millisecond), r.BytesPerSecond/1e9)
}

// whole reports whether the range is all of a device.
func whole(d Device) bool { return d.Kind != "stream" && d.Off == 0 && d.End == d.Bytes }
