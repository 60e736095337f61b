// Package comparison makes the document that says whether two devices, files or objects are equal: a page to print and
// sign, and JSON with the same content. Both end with a digest of themselves, which Verify checks.
package comparison

import (
	_ "embed" // for page.html
	"fmt"
	"html/template"

	"github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// Certificate is the content of the document. Its offsets are those in the first input.
type Certificate struct {
	Format string `json:"format"`
	certificate.Issue
	Result   Result  `json:"result"`
	Sentence string  `json:"sentence"` // the result in words
	Inputs   [2]Side `json:"inputs"`
	Prefix   bool    `json:"prefix,omitempty"` // the second input may go on
	Longer   int     `json:"longer,omitempty"` // 1 or 2 if that input goes on where the other one ends
	journal.Summary
	BlockBytes  int64             `json:"block_bytes"`           // of the ranges that differ
	Interrupted bool              `json:"interrupted,omitempty"` // the summary ends where the run did
	Sessions    []journal.Stretch `json:"sessions"`
	Run         certificate.Run   `json:"run"`
	// NotCertified lists what the document says nothing about.
	NotCertified []string `json:"not_certified"`
	Digest       string   `json:"digest"` // of the document, with zeros in its own place
}

// Side is one of the inputs.
type Side struct {
	Name string `json:"name"`
	identity.Identity
	From       int64  `json:"from"` // where comparing began in it
	How        string `json:"how"`  // it was read
	Direct     bool   `json:"direct,omitempty"`
	Compressed bool   `json:"compressed,omitempty"` // what is inside was compared
	Changed    string `json:"changed,omitempty"`
}

// Format is the format of certificates that this program writes.
const Format = "thresh cmp certificate 1"

// Result is the answer.
type Result string

// The results. Incomplete says that some bytes were not or could not be read, or that an input changed.
const (
	Equal      Result = "equal"
	Different  Result = "different"
	Incomplete Result = "incomplete"
)

// Complete fills in the format, the result and its sentence, and what is not certified.
func (c *Certificate) Complete() {
	c.Format = Format
	switch {
	case c.Unread.Count > 0 || c.Interrupted || c.Inputs[0].Changed != "" || c.Inputs[1].Changed != "":
		c.Result = Incomplete
	case c.First != nil || c.Longer == 1 || c.Longer == 2 && !c.Prefix:
		c.Result = Different
	default:
		c.Result = Equal
	}
	c.Sentence = c.sentence()
	c.NotCertified = c.notCertified()
}

// sentence says the result in words.
func (c *Certificate) sentence() string {
	n := c.End - c.Off
	text := bytesize.Precise(n)
	switch {
	case c.First != nil:
		text += fmt.Sprintf(", the first byte that differs is at %d; %s in %s of %d-byte blocks", *c.First,
			numeral.Count(c.Different, "byte"), numeral.Count(c.Other.Count, "range"), c.BlockBytes)
	case n == 0 && c.Result == Incomplete:
		text = "nothing is compared yet"
	case n == 0:
		text = "0 bytes, nothing to compare"
	case c.Result == Equal:
		text += ", every byte is the same"
	default:
		text += ", every byte that was compared is the same"
	}
	if c.Holes > 0 {
		text += fmt.Sprintf("; %s are holes of both files, which were not read", bytesize.Precise(c.Holes))
	}
	if c.Longer > 0 {
		text += fmt.Sprintf("; %s goes on", c.Inputs[c.Longer-1].Name)
	}
	text += certificate.Rest(c.Summary, c.Interrupted)
	for _, s := range c.Inputs {
		if s.Changed != "" {
			text += "; " + s.Name + ": " + s.Changed
		}
	}
	return string(c.Result) + ": " + text
}

// notCertified lists what the reader should know.
func (c *Certificate) notCertified() []string {
	list := []string{"What happened to an input before or after the times given here, and how it was written. This page " +
		"says what was read."}
	n := certificate.Notes{Resumed: len(c.Sessions) > 1, Holes: c.Holes > 0}
	for _, s := range c.Inputs {
		n.Compressed = n.Compressed || s.Compressed
		n.Add(s.Identity, !s.Direct && (s.Kind == "block device" || s.Kind == "regular file"),
			s.From > 0 || !s.Compressed && s.Bytes > s.From+c.End-c.Off)
	}
	if c.Inputs[0].Kind == "block device" || c.Inputs[1].Kind == "block device" {
		list = append(list, certificate.HiddenAreas)
	}
	return n.NotCertified(list...)
}

// JSON returns the document as JSON, with its digest.
func (c Certificate) JSON() ([]byte, error) {
	c.Digest = certificate.Placeholder
	return certificate.JSON(c)
}

//go:embed page.html
var page string

// HTML returns the document as a page to print and sign. It contains the certificate as JSON, and its digest.
func (c Certificate) HTML() ([]byte, error) {
	c.Digest = "" // that of the page, at its end
	title := certificate.Title(c.Result.class(), c.Result)
	return certificate.Page{Title: title + ": " + c.Inputs[0].Name + ", " + c.Inputs[1].Name, Verb: "cmp", Content: c}.
		HTML(page, template.FuncMap{
			"class": Result.class,
			"which": func(i int) string { return []string{"First input", "Second input"}[i] },
		})
}

func (r Result) class() string {
	return map[Result]string{Equal: certificate.Yes, Different: certificate.No, Incomplete: certificate.Part}[r]
}

// Verify checks the digest of a document, the page or JSON, and returns its content.
func Verify(document []byte) (c Certificate, err error) {
	c.Digest, err = certificate.Read(document, Format, &c)
	return c, err
}
