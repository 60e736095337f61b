// Package svg writes drawings: files of their own, or parts of a page, in colours for light and for dark, and with no
// fonts but those of the system.
package svg

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Picture is a drawing that is being written. It keeps the first error, which End returns.
type Picture struct {
	w   io.Writer
	err error
}

// New returns a picture without anything in it.
func New(w io.Writer) *Picture { return &Picture{w: w} }

// Begin starts a file. The title also says it to who cannot see it. light and dark are rules of a style besides those
// of Style.
func (p *Picture) Begin(width, height float64, title, light, dark string) {
	p.open(width, height, title)
	p.Linef("%s", Style(light, dark))
}

// BeginPart starts a part of a page, whose style is the page's.
func (p *Picture) BeginPart(width, height float64, title string) { p.open(width, height, title) }

func (p *Picture) open(width, height float64, title string) {
	p.Linef(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img">`, width, height)
	p.Linef(`<title>%s</title>`, html.EscapeString(title))
}

// End ends the picture.
func (p *Picture) End() error {
	p.Linef("</svg>")
	return p.err
}

// Linef writes a line of elements.
func (p *Picture) Linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// Text writes a text from x on, below the middle of which y is. Of the class "mid" x is the middle, of "end" the end.
func (p *Picture) Text(x, y float64, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.Linef(`<text x="%.1f" y="%.1f"%s>%s</text>`, x, y, class, html.EscapeString(text))
}

// Segment writes a straight line.
func (p *Picture) Segment(x1, y1, x2, y2 float64, class string) {
	p.Linef(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

// Rect writes a rectangle that says a text when it is pointed at; none if the text is empty.
func (p *Picture) Rect(x, y, width, height float64, class, says string) {
	if says != "" {
		says = "<title>" + html.EscapeString(says) + "</title>"
	}
	p.Linef(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s">%s</rect>`, x, y, width, height, class, says)
}

// Dot writes a filled circle that says a text when it is pointed at.
func (p *Picture) Dot(x, y, radius float64, class, says string) {
	p.Linef(`<circle cx="%.1f" cy="%.1f" r="%.1f" class="%s"><title>%s</title></circle>`, x, y, radius, class,
		html.EscapeString(says))
}

// letterWidth is about how wide a letter of the widest usual font is, in pixels.
const letterWidth = 7.6

// Width returns about how wide a text is.
func Width(text string) float64 { return letterWidth * float64(displaywidth.String(text)) }

// Cut shortens a text to a width.
func Cut(text string, width float64) string {
	return displaywidth.TruncateString(text, int(width/letterWidth), "…")
}

// Style returns the style of a file, with more rules for light and for dark. It has no background: the page's shows
// through.
func Style(light, dark string) string {
	return "<style>\n" + strings.TrimSpace(lightRules+light) + "\n@media (prefers-color-scheme: dark) {\n" +
		strings.TrimSpace(darkRules+dark) + "\n}\n</style>"
}

const lightRules = `text { fill: #1f2328;
font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
.head { font-size: 16px; font-weight: 600 }
.group { font-weight: 600 }
.soft { fill: #59636e }
.mid { text-anchor: middle }
.end { text-anchor: end }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.axis { stroke: #59636e; stroke-width: 1.5 }
.dot { fill: #0b6e99 }
`

const darkRules = `text { fill: #f0f6fc }
.soft { fill: #9198a1 }
.grid { stroke: #3d444d }
.axis { stroke: #9198a1 }
.dot { fill: #58b7e0 }
`
