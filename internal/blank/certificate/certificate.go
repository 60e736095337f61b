// Package certificate makes the document that says whether devices are blank: a page to print and
// sign, and JSON with the same content. Both end with a digest of themselves, which Verify checks.
package certificate

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/blank"
	"github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// Certificate is the content of the document.
type Certificate struct {
	Format string `json:"format"`
	certificate.Issue
	Pattern string          `json:"pattern"` // as hexadecimal digits
	Result  Result          `json:"result"`  // of all devices
	Devices []Device        `json:"devices"`
	Run     certificate.Run `json:"run"`
	// NotCertified lists what the document says nothing about.
	NotCertified []string `json:"not_certified"`
	Digest       string   `json:"digest"` // of the document, with zeros in its own place
}

// Format is the format of certificates that this program writes.
const Format = "thresh blank certificate 1"

// Result is the answer of one device, or of all.
type Result string

// The results. Incomplete says that some bytes were not or could not be read, or that a device changed.
const (
	Blank      Result = "blank"
	NotBlank   Result = "not blank"
	Incomplete Result = "incomplete"
)

// Device is what was found on one device, file or stream.
type Device struct {
	Name     string `json:"name"`
	Result   Result `json:"result"`
	Sentence string `json:"sentence"` // the result in words
	identity.Identity
	journal.Summary
	How         string            `json:"how"` // it was read
	SectorBytes int64             `json:"sector_bytes"`
	Changed     string            `json:"changed,omitempty"`
	Interrupted bool              `json:"interrupted,omitempty"` // the summary ends where the run did
	Sessions    []journal.Stretch `json:"sessions"`
}

// Complete fills in the format, the results and the sentences, and what is not certified.
func (c *Certificate) Complete() {
	c.Format = Format
	c.Result = Blank
	for i := range c.Devices {
		d := &c.Devices[i]
		d.Result, d.Sentence = result(*d), sentence(*d, c.Pattern)
		if d.Result == Incomplete || c.Result == Blank {
			c.Result = d.Result
		}
	}
	c.NotCertified = c.notCertified()
}

func result(d Device) Result {
	switch {
	case d.Unread.Count > 0 || d.Changed != "" || d.Interrupted:
		return Incomplete
	case d.First != nil:
		return NotBlank
	}
	return Blank
}

// sentence says the result of a device in words.
func sentence(d Device, pattern string) string {
	size := bytesize.Precise(d.End - d.Off)
	var text string
	switch {
	case d.First != nil:
		text = fmt.Sprintf("%s, the first byte that is not %s is at %d; %s of %d-byte sectors with such bytes, %s in all",
			size, ofPattern(pattern), *d.First, numeral.Count(d.Other.Count, "range"), d.SectorBytes,
			bytesize.Precise(d.Other.Bytes))
	case d.Off == d.End:
		text = "0 bytes, nothing to read"
	case d.Holes == d.End-d.Off:
		text = fmt.Sprintf("%s, all of it holes of the file, which read as 00: no byte was read", size)
	default:
		text = fmt.Sprintf("%s, every byte read is %s", size, ofPattern(pattern))
	}
	if d.Holes > 0 && d.Holes < d.End-d.Off {
		text += fmt.Sprintf("; %s are holes of the file, which were not read", bytesize.Precise(d.Holes))
	}
	text += certificate.Rest(d.Summary, d.Interrupted)
	if d.Changed != "" {
		text += "; " + d.Changed
	}
	return string(result(d)) + ": " + text
}

// ofPattern names what a byte should be: "00", or "as in AA 55 repeated".
func ofPattern(pattern string) string {
	if len(pattern) == 2 {
		return pattern
	}
	return "as in " + pattern + " repeated"
}

// notCertified lists what the reader should know.
func (c *Certificate) notCertified() []string {
	var n certificate.Notes
	for _, d := range c.Devices {
		n.Resumed, n.Holes = n.Resumed || len(d.Sessions) > 1, n.Holes || d.Holes > 0
		n.Add(d.Identity, d.Kind != "stream" && !d.Direct(), d.Bytes > 0 && d.End-d.Off < d.Bytes)
	}
	return n.NotCertified(certificate.HiddenAreas,
		"That the data cannot be recovered by other means, and how the device was wiped. This page says what was read.",
		"What happened to a device before or after the times given here.")
}

// Direct reports whether a device was read past the page cache.
func (d Device) Direct() bool { return d.How == blank.HowDirect }

// JSON returns the document as JSON, with its digest.
func (c Certificate) JSON() ([]byte, error) {
	c.Digest = certificate.Placeholder
	return certificate.JSON(c)
}

// Verify checks the digest of a document, the page or JSON, and returns its content.
func Verify(document []byte) (c Certificate, err error) {
	c.Digest, err = certificate.Read(document, Format, &c)
	return c, err
}
