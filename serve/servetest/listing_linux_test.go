package servetest

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/serve"
)

// TestChromiumListingPage: what the listing's script does, and that the page works without. Where
// SERVETEST_SCREENSHOTS names a folder, the page is kept there as a desktop and a phone show it, light and dark.
func TestChromiumListingPage(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"README.md", "photo.jpg", "song.flac", "film.mkv", "data.tar.gz", "notes.txt", "unknown.bin",
		"a name that is rather long, and goes on and on and on without any end in sight.txt", "sub/x", "zusätzlich/y"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("# Title\n\nSome *text* that says what is here.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, root, serve.Options{Archives: true})
	b := client.OpenBrowser(t)
	shown := `return [...document.querySelectorAll("tbody tr:not([hidden]) a")].map(a => a.textContent.trim()).join(" ")`
	b.Devtools("Emulation.setTimezoneOverride", map[string]any{"timezoneId": "Asia/Kolkata"})
	b.Open(s.url("/"))
	if got := b.Text(`const t = document.querySelector("time"); const utc = new Date(t.title.replace(" UTC", "Z"))
		return String((new Date(t.textContent.replace(" ", "T") + "Z") - utc) / 60000)`); got != "330" {
		t.Errorf("times are %s minutes from UTC, not 330", got)
	}
	b.Text(`const i = document.querySelector("input[name=filter]"); i.value = "ZUS"; i.dispatchEvent(new Event("input")); return ""`)
	if got := b.Text(shown); got != "zusätzlich/" {
		t.Errorf("the filter shows %q", got)
	}
	if got := b.Text(`return document.querySelector(".readme pre").textContent.slice(0, 7)`); got != "# Title" {
		t.Errorf("the README is shown as %q", got)
	}
	icons := `return String([...document.querySelectorAll("td svg use")].every(u => document.querySelector(u.getAttribute("href"))))`
	if got := b.Text(icons); got != "true" {
		t.Error("an icon is missing")
	}
	folder := os.Getenv("SERVETEST_SCREENSHOTS")
	for _, scheme := range []string{"light", "dark"} {
		b.Devtools("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
		for name, width := range map[string]int{"desktop": 1100, "phone": 390} {
			b.Devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 860, "deviceScaleFactor": 1, "mobile": name == "phone"})
			b.Open(s.url("/"))
			if got := b.Text(`return String(document.documentElement.scrollWidth <= innerWidth)`); got != "true" {
				t.Errorf("%s: the page is wider than the screen", name)
			}
			if folder == "" {
				continue
			}
			var encoded string
			b.Decode(b.Call("GET", "/screenshot", nil), &encoded)
			png, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%s.png", name, scheme)), png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Without JavaScript the form asks the server, and times are UTC.
	b.Devtools("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	b.Open(s.url("/?filter=O&sort=size"))
	b.Devtools("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	labels := `return document.querySelector("th.time").textContent + " " + document.querySelector("input[name=filter]").value`
	if got := b.Text(labels); got != "Modified (UTC) O" {
		t.Errorf("without scripts: %q", got)
	}
	if got := b.Text(shown); strings.Contains(got, "data") || !strings.Contains(got, "photo.jpg") {
		t.Errorf("without scripts the filter shows %q", got)
	}
	for _, e := range b.Errors() {
		if !strings.Contains(e, "favicon") {
			t.Errorf("the console says: %s", e)
		}
	}
}
