package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocument writes the document of this test's own binary.
func TestDocument(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "self.spdx.json")
	if err := run("2026-01-02T15:04:05Z", "", []string{self, out}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var doc spdx
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Creation.Created != "2026-01-02T15:04:05Z" || doc.Name != "self" || len(doc.Packages) < 2 {
		t.Fatalf("document %s", text)
	}
	ids := map[string]bool{doc.ID: true}
	for _, p := range doc.Packages {
		if ids[p.ID] {
			t.Errorf("%s twice", p.ID)
		}
		ids[p.ID] = true
	}
	for _, r := range doc.Relationships {
		if !ids[r.From] || !ids[r.To] {
			t.Errorf("%s %s %s: one of them is not there", r.From, r.Type, r.To)
		}
	}
	if std := doc.Packages[1]; std.Name != "stdlib" || !strings.HasPrefix(std.Version, "1.") {
		t.Errorf("the standard library is %+v", std)
	}
}

// TestBundled: what a binary embeds is listed with version and licence, and only then.
func TestBundled(t *testing.T) {
	const charts = "../../lab/report/charts"
	bundle, err := os.ReadFile(filepath.Join(charts, "charts.min.js.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := bundled(charts, append([]byte("program"), bundle...))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := os.ReadFile(filepath.Join(charts, "LICENSES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	licenses := map[string]string{"echarts": "Apache-2.0", "tslib": "0BSD", "zrender": "BSD-3-Clause"}
	for _, p := range all {
		if p.License != licenses[p.Name] || p.License == "" || !strings.HasPrefix(p.Comment, "sha512-") ||
			p.Refs[0].Locator != "pkg:npm/"+p.Name+"@"+p.Version {
			t.Errorf("%+v", p)
		}
		if !strings.Contains(string(texts), "==== "+p.Name+" "+p.Version+" ====") {
			t.Errorf("LICENSES.txt has no licence of %s %s", p.Name, p.Version)
		}
	}
	if len(all) != len(licenses) {
		t.Errorf("%d packages, want %d", len(all), len(licenses))
	}
	if all, err := bundled(charts, []byte("program")); err != nil || len(all) > 0 {
		t.Errorf("a program without the bundle has %+v, error %v", all, err)
	}
	if _, err := bundled(t.TempDir(), bundle); err == nil {
		t.Error("no error without a bundle")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := run("", t.TempDir(), []string{self, filepath.Join(t.TempDir(), "x")}); err == nil {
		t.Error("no error of a folder without a bundle")
	}
}
