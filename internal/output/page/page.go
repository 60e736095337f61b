// Package page has what pages for browsers share: the style, in colours for light and for dark, for wide windows,
// phones and paper; a script that sorts tables; and a policy by which nothing else runs or is loaded.
package page

import (
	"crypto/sha256"
	_ "embed" // for the style and the script
	"encoding/base64"
)

// Style is where the style of a page begins; its own rules follow.
//
//go:embed page.css
var Style string

// Sort is a script that sorts a table by the column whose name is chosen. It says so in the element "say", which a
// page has for it. Numbers are those of the attribute data-sort, or of the text.
//
//go:embed sort.js
var Sort string

// Policy returns a content security policy that allows the style of the page and the scripts, and nothing else.
func Policy(form string, scripts ...string) string {
	policy := "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action " + form
	for i, script := range scripts {
		if i == 0 {
			policy += "; script-src"
		}
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return policy
}
