package wallreport

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
)

// TestInBrowser opens the page in Chromium, on a desktop and on a phone, in the light and in the dark.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	page, err := HTML(example())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(name, page, 0o600); err != nil {
		t.Fatal(err)
	}
	b := client.OpenBrowser(t)
	const (
		width   = `return String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`
		colours = `let s = getComputedStyle(document.body); return s.backgroundColor + " " + s.color`
		charts  = `return [...document.querySelectorAll("svg")].map(s => s.getBoundingClientRect().width > 200).join(" ")`
	)
	for what, c := range map[string]struct {
		pixels        int
		scheme, wants string
	}{
		"desktop": {1200, "light", "rgb(255, 255, 255) rgb(27, 31, 39)"},
		"phone":   {360, "dark", "rgb(20, 23, 28) rgb(231, 234, 240)"},
	} {
		b.Devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": c.pixels, "height": 800, "deviceScaleFactor": 1, "mobile": false})
		b.Devtools("Emulation.setEmulatedMedia", map[string]any{"media": "",
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": c.scheme}}})
		b.Open("file://" + name)
		if got := b.Text(width); got != "0" {
			t.Errorf("%s: the page is %s pixels wider than the window", what, got)
		}
		if got := b.Text(colours); got != c.wants {
			t.Errorf("%s: colours %s, want %s", what, got, c.wants)
		}
		if got := b.Text(charts); got != "true true true true true true" {
			t.Errorf("%s: charts %s", what, got)
		}
		if errs := b.Errors(); len(errs) > 0 {
			t.Errorf("%s: %v", what, errs)
		}
	}
}
