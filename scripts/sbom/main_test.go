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
	if err := run("2026-01-02T15:04:05Z", []string{self, out}); err != nil {
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
