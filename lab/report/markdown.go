package report

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// Markdown writes results for pasting: the tables of the page, without charts.
func Markdown(w io.Writer, experiments []*lab.Experiment, results []lab.Results) error {
	p, err := makePage(experiments, results)
	if err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\n", p.Title)
	p.Facts.markdown(&out)
	fmt.Fprintf(&out, "## Claims\n\n")
	lines(&out, p.Counts)
	p.Claims.markdown(&out)
	p.Own.markdown(&out)
	for _, part := range p.Parts {
		fmt.Fprintf(&out, "## %s\n\n%s, by %s: %s\n\n", escape(part.Name), escape(part.Article.Title),
			escape(part.Article.Author), link(part.Article.URL))
		lines(&out, []string{"Measured there on: " + part.Article.Machine, "Method: " + part.Method})
		for _, s := range part.States {
			fmt.Fprintf(&out, "### %s\n\n", escape(s.Heading))
			lines(&out, s.Lines)
			for _, t := range s.Tables {
				t.markdown(&out)
			}
		}
		part.Execution.markdown(&out)
		if len(part.NotRun) > 0 {
			lines(&out, []string{"Not run: " + strings.Join(part.NotRun, ", ")})
		}
	}
	lines(&out, p.Notices)
	if _, err := io.WriteString(w, strings.TrimRight(out.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("report: write the Markdown: %w", err)
	}
	return nil
}

func lines(out *strings.Builder, all []string) {
	for _, line := range all {
		fmt.Fprintf(out, "- %s\n", escape(line))
	}
	if len(all) > 0 {
		out.WriteString("\n")
	}
}

func (t table) markdown(out *strings.Builder) {
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintf(out, "**%s**\n\n|", escape(t.Caption))
	for _, c := range t.Columns {
		out.WriteString(" " + escape(c.Name) + " |")
	}
	out.WriteString("\n|")
	for _, c := range t.Columns {
		if c.Numeric {
			out.WriteString("---:|")
		} else {
			out.WriteString("---|")
		}
	}
	out.WriteString("\n")
	for _, row := range t.Rows {
		out.WriteString("|")
		for _, c := range row.Cells {
			out.WriteString(" " + escape(c.plain()) + " |")
		}
		out.WriteString("\n")
	}
	out.WriteString("\n")
}

// plain is all that a cell says, in one line.
func (c cell) plain() string {
	s := ""
	if c.Verdict != "" {
		s = symbol(c.Verdict) + " " + string(c.Verdict)
	}
	for _, part := range append([]string{c.Text, c.Small}, c.List...) {
		if part != "" && s != "" {
			s += "; "
		}
		s += part
	}
	return s
}

// link writes an address so that it can be followed, if it is one of the web and nothing else.
func link(address string) string {
	if u, err := url.Parse(address); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		return "<" + u.String() + ">"
	}
	return escape(address)
}

// escape takes the meaning from characters that Markdown, or HTML within it, would read as its own.
func escape(s string) string {
	var out strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>|~$", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
