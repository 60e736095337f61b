package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/svg"
)

// escape matches the control sequences of terminals.
var escape = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// receipt matches the lines that a run says about itself.
var receipt = regexp.MustCompile(`^(\[.*\] )?[0-9.]+ [KMGT]?i?B(ytes)? in [0-9.]+ s, `)

// Measures of the drawing, in pixels, and of the animation, in seconds.
const (
	fontSize   = 13.0
	charWidth  = 0.602 * fontSize
	lineHeight = 19.0
	margin     = 18.0
	top        = 44.0 // below the title bar

	typing = 0.03 // a character
	before = 0.7  // each command
	after  = 0.9  // each answer
)

// draw writes the takes as an SVG. All that is shown is there from the start; each part is hidden until its
// time, so that a viewer without animations, or a person who wants none, sees the end.
func draw(w io.Writer, takes []take) error {
	var b bytes.Buffer
	y, at := top+lineHeight, 0.0
	for _, t := range takes {
		at += before
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f"><tspan class="p" style="animation-duration:%.2fs">$ </tspan>`,
			margin, y, at-before)
		for _, c := range t.command {
			at += typing
			fmt.Fprintf(&b, `<tspan style="animation-duration:%.2fs">%s</tspan>`, at, html.EscapeString(string(c)))
		}
		b.WriteString("</text>\n")
		y += lineHeight
		at += t.seconds
		soft := false
		for _, line := range lines(t.output) {
			soft = soft || receipt.MatchString(line)
			class := ""
			if soft {
				class = ` class="s"`
			}
			fmt.Fprintf(&b, `<text x="%.0f" y="%.0f"%s style="animation-duration:%.2fs">%s</text>`+"\n",
				margin, y, class, at, html.EscapeString(line))
			y += lineHeight
		}
		at += after
	}
	width, height := 2*margin+columns*charWidth, y
	var names []string
	for _, t := range takes {
		names = append(names, t.command)
	}
	p := svg.New(w)
	p.Begin(width, height, "A terminal: "+strings.Join(names, "; "), lightRules, darkRules)
	p.Linef(`<rect class="b" x="0.5" y="0.5" width="%.0f" height="%.0f" rx="8"/>`, width-1, height-1)
	for _, x := range []int{20, 38, 56} {
		p.Linef(`<circle class="o" cx="%d" cy="20" r="5"/>`, x)
	}
	p.Linef("%s", b.String())
	return p.End()
}

// The rules besides those of every picture, in light and in dark.
const (
	lightRules = `text { white-space: pre;
font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace }
text, tspan { animation: hidden 0s step-end }
.p { fill: #0b6e99; font-weight: 600 }
.s { fill: #59636e }
.b { fill: #f6f8fa; stroke: #d1d9e0 }
.o { fill: #d1d9e0 }
@keyframes hidden { from { fill-opacity: 0 } to { fill-opacity: 1 } }
@media (prefers-reduced-motion: reduce) { text, tspan { animation: none } }`
	darkRules = `.p { fill: #58b7e0 }
.s { fill: #9198a1 }
.b { fill: #0d1117; stroke: #3d444d }
.o { fill: #3d444d }`
)
