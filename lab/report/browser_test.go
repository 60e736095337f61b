//go:build linux

package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/lab"
)

// shown writes a report and opens it. LAB_REPORT_KEEP is a folder to keep it and screenshots in.
func shown(t *testing.T, b *client.Browser, name string, experiments []*lab.Experiment, results []lab.Results) {
	t.Helper()
	folder := t.TempDir()
	if keep := os.Getenv("LAB_REPORT_KEEP"); keep != "" {
		folder = keep
	}
	path := filepath.Join(folder, name+".html")
	var page bytes.Buffer
	if err := HTML(&page, experiments, results); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + path)
}

// wide sets the width of the window's content, as on a phone or a desktop.
func wide(b *client.Browser, px int) {
	b.Devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": px, "height": 800, "deviceScaleFactor": 1, "mobile": px < 500})
}

// keepScreenshot keeps a screenshot of the whole page, for a person to look at, if there is a folder for it.
func keepScreenshot(t *testing.T, b *client.Browser, name string) {
	t.Helper()
	folder := os.Getenv("LAB_REPORT_KEEP")
	if folder == "" {
		return
	}
	var image struct{ Data string }
	b.Decode(b.Call("POST", "/goog/cdp/execute", map[string]any{"cmd": "Page.captureScreenshot",
		"params": map[string]any{"captureBeyondViewport": true}}), &image)
	png, err := base64.StdEncoding.DecodeString(image.Data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
}

// openAll opens what is folded, and waits until that is drawn.
const openAll = `
	for (const d of document.querySelectorAll("details")) d.open = true;
	return new Promise(done => setTimeout(() => requestAnimationFrame(() => done("")), 50))`

// notDrawn names the charts without a mark of their kind, and those that are wider than their place.
const notDrawn = `
	const charts = JSON.parse(document.getElementById("charts").textContent);
	const marks = place => [...place.querySelectorAll("svg path, svg polygon, svg circle, svg rect")].filter(e => {
		const box = e.getBoundingClientRect();
		return e.getAttribute("fill") !== "none" && box.width > 0 && box.height > 0;
	}).length;
	const least = c => c.kind === "flame" ? 2 : c.kind === "boxes" ? 2 * c.categories.length
		: c.series.flatMap(s => s.points).filter(p => p.value != null).length;
	return [...document.querySelectorAll("[data-chart]")].flatMap(place => {
		const chart = charts[place.dataset.chart], found = marks(place);
		const wrong = found < least(chart) ? found + " marks instead of " + least(chart) : "";
		const wide = place.scrollWidth > place.clientWidth ? "too wide" : "";
		return wrong || wide ? [chart.title + ": " + wrong + wide] : [];
	}).join("\n")`

// sticksOut names what makes the page wider than the window.
const sticksOut = `
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= width) return "";
	return "wider than " + width + ": " + [...document.querySelectorAll("body *")].filter(e =>
		e.getBoundingClientRect().right > width && !e.closest(".scroll, svg, .skip")).map(e => e.outerHTML.slice(0, 80)).join("\n")`

// pale names texts whose contrast with what is behind them is below 4.5, the least that WCAG 2 asks for (AA).
const pale = `
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgba = text => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = text;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data].map((v, i) => i === 3 ? v / 255 : v);
	};
	const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
	const behind = e => {
		const own = rgba(getComputedStyle(e).backgroundColor);
		return own[3] === 1 ? own : over(own, e.parentElement ? behind(e.parentElement) : [255, 255, 255]);
	};
	const luminance = c => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => {
		const v = c[i] / 255;
		return sum + part * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	}, 0);
	const found = new Set();
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
		if (!own || e.closest("svg, script, noscript, .chart")) continue;
		const back = behind(e), a = luminance(rgba(getComputedStyle(e).color)), b = luminance(back);
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) found.add(contrast.toFixed(1) + ": " + e.outerHTML.slice(0, 100));
	}
	return [...found].join("\n")`

// nothing checks that a script of the page that looks for mistakes finds none.
func nothing(t *testing.T, b *client.Browser, where, script string) {
	t.Helper()
	if found := b.Text(script); found != "" {
		t.Errorf("%s: %s", where, found)
	}
}

// TestBrowser: in Chromium every chart of both kinds of page is drawn, on a desktop and a phone, light and
// dark and on paper; nothing makes the page scroll sideways; texts stand out; the console stays empty.
func TestBrowser(t *testing.T) {
	b := client.OpenBrowser(t)
	experiments, results := fixture(t)
	for name, shows := range map[string][]lab.Results{"one": results[:1], "two": results} {
		for _, px := range []int{1280, 390} {
			where := name + map[int]string{1280: " on a desktop", 390: " on a phone"}[px]
			wide(b, px)
			shown(t, b, name, experiments, shows)
			b.Text(openAll)
			nothing(t, b, where, notDrawn)
			nothing(t, b, where, sticksOut)
			keepScreenshot(t, b, where)
			if px < 500 {
				continue
			}
			for _, theme := range []string{"light", "dark"} {
				b.Text(`document.querySelector("[data-theme-choice=" + arguments[0] + "]").click(); return ""`, theme)
				nothing(t, b, where+", "+theme, notDrawn)
				nothing(t, b, where+", "+theme, pale)
			}
			keepScreenshot(t, b, where+", dark")
		}
	}
	for _, e := range b.Errors() {
		t.Errorf("console: %s", e)
	}
}

// TestBrowserSystemTheme: without a choice the page has the system's colours, and follows them.
func TestBrowserSystemTheme(t *testing.T) {
	b := client.OpenBrowser(t)
	experiments, results := fixture(t)
	shown(t, b, "theme", experiments, results[:1])
	seen := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.Devtools("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
		seen[b.Text(`return new Promise(done => setTimeout(() => done(getComputedStyle(document.body).backgroundColor +
			document.querySelector("[data-chart] svg text").getAttribute("fill")), 100))`)] = true
		nothing(t, b, scheme, pale)
	}
	if len(seen) != 2 {
		t.Errorf("light and dark look alike: %v", seen)
	}
}

// TestBrowserSort: a column's name sorts by it, also from the keyboard, and rows without a value stay last.
func TestBrowserSort(t *testing.T) {
	b := client.OpenBrowser(t)
	experiments, results := fixture(t)
	shown(t, b, "sort", experiments, results[:1])
	b.Text(openAll)
	const order = `
		const table = [...document.querySelectorAll("table")].find(t => t.caption.textContent.startsWith("Scoreboard"));
		return [...table.tBodies[0].rows].map(r => r.cells[0].firstChild.textContent.trim()).join(" ")`
	const focus = `
		const table = [...document.querySelectorAll("table")].find(t => t.caption.textContent.startsWith("Scoreboard"));
		const head = [...table.tHead.rows[0].cells].find(c => c.textContent.startsWith(arguments[0]));
		head.querySelector("button").focus();
		return ""`
	const sorted = `return document.querySelector("[aria-sort]").getAttribute("aria-sort") + ": " + document.getElementById("say").textContent`
	before := b.Text(order)
	press := func() {
		for _, event := range []string{"keyDown", "keyUp"} {
			b.Devtools("Input.dispatchKeyEvent", map[string]any{"type": event, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"})
		}
	}
	b.Text(focus, "MB/s")
	press()
	down := strings.Fields(b.Text(order))
	if down[0] != "needle/thresh" || down[len(down)-3] != "needle/v01" {
		t.Errorf("by MB/s, largest first: %v", down)
	}
	if got := b.Text(sorted); got != "descending: Scoreboard: each variant at its best, sorted by MB/s, descending" {
		t.Errorf("said: %s", got)
	}
	press()
	up := strings.Fields(b.Text(order))
	if up[0] != "needle/v01" || up[len(up)-3] != "needle/thresh" {
		t.Errorf("by MB/s, smallest first: %v", up)
	}
	b.Text(focus, "variant")
	press()
	if got := strings.Fields(b.Text(order)); got[0] != "needle/cmp" || got[1] != "needle/thresh" || got[2] != "needle/v01" {
		t.Errorf("by variant: %v; before: %s", got, before)
	}
}

// TestBrowserFlame: a click on a frame gives it the whole width, another gives it back.
func TestBrowserFlame(t *testing.T) {
	b := client.OpenBrowser(t)
	experiments, results := fixture(t)
	wide(b, 1280)
	shown(t, b, "flame", experiments, results[:1])
	b.Text(openAll)
	const find = `
		const text = [...document.querySelectorAll(".profile svg text")].find(e => e.textContent.startsWith("needle.scan"));
		const at = text.getBoundingClientRect();
		const frame = [...text.closest("svg").querySelectorAll("path, rect")].map(e => e.getBoundingClientRect()).find(r =>
			r.height < 25 && r.top <= at.top + 8 && r.bottom >= at.bottom - 8 && r.left <= at.left && r.right >= at.right - 1);`
	const width = find + `
		return String(Math.round(100 * frame.width / text.closest("svg").clientWidth))`
	const choose = find + `
		const where = { clientX: frame.left + frame.width / 2, clientY: frame.top + 5, bubbles: true, button: 0 };
		const target = document.elementFromPoint(where.clientX, where.clientY);
		for (const kind of ["mousemove", "mousedown", "mouseup", "click"]) target.dispatchEvent(new MouseEvent(kind, where));
		return new Promise(done => setTimeout(() => done(""), 100))`
	b.Text(`document.querySelector(".profile").scrollIntoView(); return ""`)
	var widths []string
	for range 3 {
		widths = append(widths, b.Text(width))
		b.Text(choose)
	}
	if !slices.Equal(widths, []string{"53", "100", "53"}) {
		t.Errorf("a frame of 53 %%, chosen, and chosen again: %v %%", widths)
	}
}

// TestBrowserPrint: on paper every fold is open, all charts are drawn and light, and afterwards all is as before.
func TestBrowserPrint(t *testing.T) {
	b := client.OpenBrowser(t)
	experiments, results := fixture(t)
	wide(b, 1280)
	shown(t, b, "print", experiments, results[:1])
	b.Text(`document.querySelector("[data-theme-choice=dark]").click(); return ""`)
	b.Text(`addEventListener("beforeprint", () => { window.onPaper =
		document.querySelectorAll("details:not([open])").length + " closed, " + document.documentElement.dataset.theme + ", " +
		[...document.querySelectorAll("[data-chart]")].filter(c => !c.querySelector("svg")).length + " missing, " +
		[...document.querySelectorAll("[data-chart] svg")].filter(s => s.clientWidth > 680).length + " too wide"; }); return ""`)
	value := b.Call("POST", "/goog/cdp/execute", map[string]any{"cmd": "Page.printToPDF", "params": map[string]any{}})
	var printed struct{ Data string }
	if err := json.Unmarshal(value, &printed); err != nil {
		t.Fatal(err)
	}
	pdf, err := base64.StdEncoding.DecodeString(printed.Data)
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("printed %.20q, %v", pdf, err)
	}
	if keep := os.Getenv("LAB_REPORT_KEEP"); keep != "" {
		if err := os.WriteFile(filepath.Join(keep, "print.pdf"), pdf, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Text(`return String(window.onPaper)`); got != "0 closed, light, 0 missing, 0 too wide" {
		t.Errorf("on paper: %s", got)
	}
	const after = `return document.documentElement.dataset.theme + document.querySelectorAll("details:not([open])").length`
	if got := b.Text(after); !strings.HasPrefix(got, "dark") || got == "dark0" {
		t.Errorf("after printing: %s", got)
	}
}
