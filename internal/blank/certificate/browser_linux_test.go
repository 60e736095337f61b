package certificate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
)

// TestInBrowser opens the page in Chromium, on a desktop, on a phone, in the dark and for paper.
func TestInBrowser(t *testing.T) {
	name := filepath.Join(t.TempDir(), "certificate.html")
	if err := os.WriteFile(name, documents(t, example(t))["HTML"], 0o600); err != nil {
		t.Fatal(err)
	}
	b := client.OpenBrowser(t)
	const (
		width   = `return String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`
		colours = `let s = getComputedStyle(document.body); return s.backgroundColor + " " + s.color`
		breaks  = `return [...document.querySelectorAll("article")].map(a => getComputedStyle(a).breakBefore).join(" ")`
		data    = `return JSON.parse(document.getElementById("certificate").textContent).devices[0].serial`
	)
	dark := []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}
	for what, c := range map[string]struct {
		pixels          int
		media           string
		dark            bool
		colours, breaks string
	}{
		"desktop":       {1200, "", false, "rgb(255, 255, 255) rgb(27, 31, 39)", "auto auto auto"},
		"phone":         {360, "", false, "rgb(255, 255, 255) rgb(27, 31, 39)", "auto auto auto"},
		"dark":          {360, "", true, "rgb(20, 23, 28) rgb(231, 234, 240)", "auto auto auto"},
		"paper":         {700, "print", false, "rgb(255, 255, 255) rgb(27, 31, 39)", "auto page page"},
		"paper, darkly": {700, "print", true, "rgb(255, 255, 255) rgb(27, 31, 39)", "auto page page"},
	} {
		b.Devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": c.pixels, "height": 800, "deviceScaleFactor": 1, "mobile": false})
		media := map[string]any{"media": c.media, "features": []map[string]string{{"name": "prefers-color-scheme", "value": "light"}}}
		if c.dark {
			media["features"] = dark
		}
		b.Devtools("Emulation.setEmulatedMedia", media)
		b.Open("file://" + name)
		if got := b.Text(width); got != "0" {
			t.Errorf("%s: the page is %s pixels wider than the window", what, got)
		}
		if got := b.Text(colours); got != c.colours {
			t.Errorf("%s: colours %s, want %s", what, got, c.colours)
		}
		if got := b.Text(breaks); got != c.breaks {
			t.Errorf("%s: breaks %q, want %q", what, got, c.breaks)
		}
		if got := b.Text(data); got != "S3R1AL" {
			t.Errorf("%s: the data has the serial number %q", what, got)
		}
		if errs := b.Errors(); len(errs) > 0 {
			t.Errorf("%s: %v", what, errs)
		}
	}
}
