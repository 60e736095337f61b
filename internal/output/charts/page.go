package charts

import (
	"bytes"
	_ "embed" // for the style
	"html"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/output/page"
	"github.com/thresh-dev/thresh/internal/output/svg"
)

//go:embed page.css
var pageStyle string

// The widths at which a page has a chart: one of them is shown, as the window is wide.
var partWidths = []struct {
	class string
	width float64
}{{"wide", drawingWidth}, {"narrow", 358}}

// AppendPage starts a page for browsers of answers: each with its chart, if one suits it, and a table that can be
// sorted. It needs nothing from elsewhere, and without scripts only the sorting is missing. EndPage ends it.
func AppendPage(b []byte, title string) []byte {
	b = append(b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		`<meta http-equiv="Content-Security-Policy" content="`...)
	b = append(b, page.Policy("'none'", page.Sort)...)
	b = append(b, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>"...)
	b = append(b, html.EscapeString(title)...)
	b = append(b, "</title>\n<style>\n"+page.Style+pageStyle+"</style>\n"...)
	b = append(b, svg.Style(lightRules(), darkRules())...)
	return append(b, "\n</head>\n<body>\n<main>\n"...)
}

// EndPage ends a page.
func EndPage(b []byte) []byte {
	b = append(b, "</main>\n<div id=\"say\" class=\"hidden\" role=\"status\" aria-live=\"polite\"></div>\n<script>"...)
	return append(b, page.Sort+"</script>\n</body>\n</html>\n"...)
}

// AppendSection adds an answer to a page. more is how many rows there are besides.
func AppendSection(b []byte, title string, columns []Column, more int, notes []string) []byte {
	caption := "Answer"
	if title != "" {
		caption = title
	}
	b = append(b, "<section>\n<h1>"+html.EscapeString(caption)+"</h1>\n"...)
	if c, err := Of(title, columns, more); err == nil && len(c.Labels) > 0 {
		b = append(b, "<figure>\n"...)
		for _, p := range partWidths {
			var part bytes.Buffer
			if c.part(&part, p.width) == nil { // a buffer takes everything
				b = append(b, `<div class="`+p.class+`">`...)
				b = append(append(b, part.Bytes()...), "</div>\n"...)
			}
		}
		b = append(b, "</figure>\n"...)
	}
	b = appendTable(b, caption, columns)
	if more > 0 {
		notes = append([]string{numeral.CountGrouped(more, "more row") + ", which a page does not show"}, notes...)
	}
	for _, note := range notes {
		b = append(b, "<p class=\"note\">"+html.EscapeString(note)+"</p>\n"...)
	}
	return append(b, "</section>\n"...)
}

func appendTable(b []byte, caption string, columns []Column) []byte {
	b = append(b, `<div class="scroll" role="region" tabindex="0" aria-label="`+html.EscapeString(caption)+
		"\">\n<table>\n<caption class=\"hidden\">"+html.EscapeString(caption)+"</caption>\n<thead><tr>"...)
	classes := make([]string, len(columns))
	for i, c := range columns {
		k, _ := kindOf(c)
		classes[i] = [...]string{text: "", number: "numeric", moment: "time"}[k]
		b = append(b, `<th scope="col"`+attribute(classes[i])+">"+html.EscapeString(c.Name)+"</th>"...)
	}
	b = append(b, "</tr></thead>\n<tbody>\n"...)
	for row := range columns[0].Cells {
		b = append(b, "<tr>"...)
		for i := range columns {
			class, cell := classes[i], columns[i].Cells[row]
			if cell.Null {
				class = strings.TrimSpace(class + " null")
			}
			if cell.Null && cell.Text == "" {
				cell.Text = "null"
			}
			b = append(b, "<td"+attribute(class)+">"+html.EscapeString(cell.Text)+"</td>"...)
		}
		b = append(b, "</tr>\n"...)
	}
	return append(b, "</tbody>\n</table>\n</div>\n"...)
}

func attribute(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}
