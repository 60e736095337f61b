package serve

import (
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
)

// readmeBytesMax is how much of a README is shown.
const readmeBytesMax = 64 << 10

// readme returns the name and the text of the folder's README, and whether the text goes on. The
// text is shown as it is: Markdown is made to be read. Without a README of UTF-8 the name is empty.
func (h *handler) readme(path string, l *docroot.Listing) (name, text string, cut bool) {
	for i := l.Folders; i < len(l.Items); i++ {
		switch strings.ToLower(l.Items[i].Name) {
		case "readme", "readme.md", "readme.markdown", "readme.txt":
			name = l.Items[i].Name
		}
		if name != "" {
			break
		}
	}
	if name == "" {
		return "", "", false
	}
	e, err := h.root.Lookup(path + name)
	if err != nil {
		return "", "", false // it went, and the listing is still right without it
	}
	defer e.Release()
	if e.Redirect != "" || e.Folder {
		return "", "", false
	}
	buffer := make([]byte, min(e.Plain.Size, readmeBytesMax))
	if n, err := h.readRange(e.Plain, httpsem.Range{Bytes: int64(len(buffer))}, buffer); err != nil {
		h.logFileError(e.Plain, httpsem.Range{Bytes: int64(len(buffer))}, int64(n), err)
		return "", "", false
	}
	cut = e.Plain.Size > readmeBytesMax
	for drop := 0; cut && drop < utf8.UTFMax && !utf8.Valid(buffer); drop++ {
		buffer = buffer[:len(buffer)-1] // a character across the end
	}
	if !utf8.Valid(buffer) {
		return "", "", false
	}
	return name, string(buffer), cut
}
