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

// Placeholder is the digest of a document that has none yet.
var Placeholder = mark + strings.Repeat("0", 2*sha256.Size)

var (
	// ErrDamaged is returned by Read for a document that was changed.
	ErrDamaged = errors.New("damaged: its digest is not that of its content")
	// ErrNone is returned by Read for a file that is no certificate, or not a whole one.
	ErrNone = errors.New("not a whole certificate of thresh")
)

// Seal puts the digest of a document into its place.
func Seal(document []byte) ([]byte, error) {
	if bytes.Count(document, []byte(Placeholder)) != 1 {
		return nil, errors.New("thresh: bug: a certificate without one place for its digest")
	}
	sum := sha256.Sum256(document)
	at := bytes.Index(document, []byte(Placeholder)) + len(mark)
	hex.Encode(document[at:], sum[:])
	return document, nil
}

// dataBegins and dataEnds enclose the certificate as JSON in the page.
const (
	dataBegins = `<script type="application/json" id="certificate">`
	dataEnds   = `</script>`
)

// Read checks the digest of a document, the page or JSON, reads its content, which begins with its format, and returns
// its digest.
func Read(document []byte, format string, content any) (digest string, err error) {
	text := document
	if bytes.HasPrefix(document, []byte("<!doctype html>")) {
		begin := bytes.Index(document, []byte(dataBegins))
		if begin < 0 {
			return "", ErrNone
		}
		text = document[begin+len(dataBegins):]
		end := bytes.Index(text, []byte(dataEnds))
		if end < 0 {
			return "", ErrNone
		}
		text = text[:end]
	}
	at := bytes.LastIndex(document, []byte(mark))
	if at < 0 || len(document) < at+len(Placeholder) {
		return "", ErrNone
	}
	digits := document[at+len(mark) : at+len(Placeholder)]
	blanked := bytes.Clone(document)
	copy(blanked[at:], Placeholder)
	sum := sha256.Sum256(blanked)
	if string(digits) != hex.EncodeToString(sum[:]) {
		return "", ErrDamaged
	}
	var is struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &is); err != nil || is.Format == "" {
		return "", ErrNone
	}
	if is.Format != format {
		return "", fmt.Errorf("it has the format %q, not %q", is.Format, format)
	}
	if err := json.Unmarshal(text, content); err != nil {
		return "", ErrNone
	}
	return mark + string(digits), nil
}
