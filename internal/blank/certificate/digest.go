package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A document has its digest within itself, once: "sha256:" and 64 hexadecimal digits. It is that of
// the whole document with zeros in place of these digits. So a change of any byte is noticed, also
// of one that means nothing.
const mark = "sha256:"

// placeholder is the digest of a document that has none yet.
var placeholder = mark + strings.Repeat("0", 2*sha256.Size)

var (
	// ErrDamaged is returned by Verify for a document that was changed.
	ErrDamaged = errors.New("damaged: its digest is not that of its content")
	// ErrNone is returned by Verify for a file that is no certificate, or not a whole one.
	ErrNone = errors.New("not a whole certificate of thresh blank")
)

// seal puts the digest of a document into its place.
func seal(document []byte) ([]byte, error) {
	if bytes.Count(document, []byte(placeholder)) != 1 {
		return nil, errors.New("thresh: bug: a certificate without one place for its digest")
	}
	sum := sha256.Sum256(document)
	at := bytes.Index(document, []byte(placeholder)) + len(mark)
	hex.Encode(document[at:], sum[:])
	return document, nil
}

// dataBegins and dataEnds enclose the certificate as JSON in the page.
const (
	dataBegins = `<script type="application/json" id="certificate">`
	dataEnds   = `</script>`
)

// Verify checks the digest of a document, the page or JSON, and returns its content.
func Verify(document []byte) (Certificate, error) {
	var c Certificate
	content := document
	if bytes.HasPrefix(document, []byte("<!doctype html>")) {
		begin := bytes.Index(document, []byte(dataBegins))
		if begin < 0 {
			return c, ErrNone
		}
		content = document[begin+len(dataBegins):]
		end := bytes.Index(content, []byte(dataEnds))
		if end < 0 {
			return c, ErrNone
		}
		content = content[:end]
	}
	at := bytes.LastIndex(document, []byte(mark))
	if at < 0 || len(document) < at+len(placeholder) {
		return c, ErrNone
	}
	digits := document[at+len(mark) : at+len(placeholder)]
	blanked := bytes.Clone(document)
	copy(blanked[at:], placeholder)
	sum := sha256.Sum256(blanked)
	if string(digits) != hex.EncodeToString(sum[:]) {
		return c, ErrDamaged
	}
	if err := json.Unmarshal(content, &c); err != nil || c.Format == "" {
		return c, ErrNone
	}
	if c.Format != Format {
		return c, fmt.Errorf("it has the format %q, and this program knows %q", c.Format, Format)
	}
	c.Digest = mark + string(digits)
	return c, nil
}
