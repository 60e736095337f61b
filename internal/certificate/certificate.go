// Package certificate has what documents about devices have in common, those of blank and of cmp: who made them and
// when, a page to print and sign, JSON with the same content, and a digest of themselves in both.
package certificate

import (
	"bytes"
	_ "embed" // for parts.html and page.css
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	shared "github.com/thresh-dev/thresh/internal/output/page"
	"github.com/thresh-dev/thresh/receipt"
)

// Issue says who made a document, and when.
type Issue struct {
	Program   string    `json:"program"` // name and version
	Host      string    `json:"host,omitempty"`
	System    string    `json:"system"`
	Operator  string    `json:"operator,omitempty"`
	Reference string    `json:"reference,omitempty"`
	Began     time.Time `json:"began"` // of the first session
	Ended     time.Time `json:"ended"`
}

// The classes of results: what was hoped for, or not, or that not all of it is known.
const (
	Yes  = "yes"
	No   = "no"
	Part = "part"
)

// Title returns the title of a result of a class.
func Title(class string, result any) string {
	if class == Yes {
		return fmt.Sprint("Certificate: ", result)
	}
	return fmt.Sprint("Report: ", result)
}

// Notes is which of the things that no document certifies apply to one.
type Notes struct{ Part, Compressed, Resumed, Cached, Holes, Unknown, Used bool }

// Add adds what applies to an input.
func (n *Notes) Add(id identity.Identity, cached, part bool) {
	n.Unknown = n.Unknown || id.Kind == "block device" && !id.Known()
	n.Used = n.Used || id.InUse
	n.Cached, n.Part = n.Cached || cached, n.Part || part
}

// HiddenAreas is what is not certified of a device.
const HiddenAreas = "Areas that a drive does not show to the computer: a host protected area (HPA), a device " +
	"configuration overlay (DCO), sectors that the drive has remapped, and spare area of flash memory."

// NotCertified returns what the reader should know, after what is to be known of every document.
func (n Notes) NotCertified(list ...string) []string {
	for _, more := range []struct {
		applies bool
		text    string
	}{
		{n.Part, "The bytes outside the range that was read: it is not all of each input."},
		{n.Compressed, "The compressed file itself: what is inside was compared, as this program decompresses it."},
		{n.Resumed, "That nothing was written between two sessions to the part that an earlier one had read: it was not " +
			"read again."},
		{n.Cached, "That the bytes are those on the medium: some came through the page cache, which may hold older or " +
			"newer ones."},
		{n.Holes, "The medium below holes of files: they have no bytes of their own there."},
		{n.Unknown, "Which drive it was: the system knows no serial number of a device, only its name and size."},
		{n.Used, "That nothing was written meanwhile: a device was mounted or otherwise in use while it was read."},
	} {
		if more.applies {
			list = append(list, more.text)
		}
	}
	return list
}

// Rest returns the end of a sentence about a summary: what could not be read, and where the run was interrupted.
func Rest(s journal.Summary, interrupted bool) (text string) {
	if s.Unread.Count > 0 {
		text = fmt.Sprintf("; %s in %s could not be read", bytesize.Precise(s.Unread.Bytes),
			numeral.Count(s.Unread.Count, "range"))
	}
	if interrupted {
		text += fmt.Sprintf("; interrupted at %d", s.End)
	}
	return text
}

// Run is how fast the last session was, and what held it back.
type Run struct {
	Bytes          int64   `json:"bytes"`
	Seconds        float64 `json:"seconds"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	Wall           string  `json:"wall"`
	Verdict        string  `json:"verdict"`
}

// RunOf returns what a receipt says of a run.
func RunOf(r receipt.Receipt) Run {
	return Run{r.Bytes, r.Seconds, r.BytesPerSecond, string(r.Wall), r.Verdict}
}

// Text says how fast the last session was.
func (r Run) Text() string {
	return fmt.Sprintf("%s in %s, %.2f GB/s", bytesize.Precise(r.Bytes),
		(time.Duration(r.Seconds * float64(time.Second))).Round(time.Millisecond), r.BytesPerSecond/1e9)
}

// JSON returns a document as JSON. Its content has the Placeholder as its digest.
func JSON(content any) ([]byte, error) {
	b, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return Seal(append(b, '\n'))
}

//go:embed parts.html
var parts string

//go:embed page.css
var style string

// Page is a document as a page.
type Page struct {
	Title   string // for lists of files and for the margin of a printed page
	Verb    string // that made it, and verifies it
	Content any    // of the document, without a digest

	Style  template.CSS
	Data   template.HTML // the content as JSON, for programs
	Digest string
}

// HTML returns a page to print and sign. The template of its articles is text; it may use the templates of parts.html,
// and what is in functions.
func (p Page) HTML(text string, functions template.FuncMap) ([]byte, error) {
	// The template is parsed here, so that other runs of the program start without it.
	t := template.New("page").Funcs(template.FuncMap{
		"size": exactBytes, "count": numeral.Count[int64], "time": timeText, "all": all,
		"join": func(list []string) string { return strings.Join(list, ", ") }, "title": Title,
		"symbol": func(class string) string { return map[string]string{Yes: "✓", No: "✗", Part: "?"}[class] },
	}).Funcs(functions)
	for _, text := range []string{parts, text} {
		if _, err := t.Parse(text); err != nil {
			return nil, fmt.Errorf("thresh: bug: the page of the certificate: %w", err)
		}
	}
	data, err := json.Marshal(p.Content)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	p.Style = template.CSS(shared.Style + style)
	// Marshal has escaped <, > and &, so that the text cannot end the element.
	p.Data, p.Digest = template.HTML(dataBegins+string(data)+dataEnds), Placeholder
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "document", p); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return Seal(b.Bytes())
}

// exactBytes returns a number of bytes for people, and exactly.
func exactBytes(n int64) string {
	if n < 1<<10 {
		return bytesize.Precise(n)
	}
	return fmt.Sprintf("%s (%d bytes)", bytesize.Precise(n), n)
}

func timeText(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") }

// all passes several values to a template.
func all(values ...any) []any { return values }

// Printable returns a name for people; one that is not UTF-8 with escapes.
func Printable(name string) string {
	if strings.ToValidUTF8(name, "") == name {
		return name
	}
	return fmt.Sprintf("%q", name)
}
