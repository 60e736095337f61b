package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestManifests: each file for a package manager names the archive of its system with its checksum.
func TestManifests(t *testing.T) {
	r := &release{version: "1.2.3", at: time.Unix(1790000000, 0).UTC(), folder: t.TempDir()}
	vet := programs[2]
	sums := map[string]string{}
	for i, at := range targets {
		ending := ".tar.gz"
		if at.OS == "windows" {
			ending = ".zip"
		}
		sums[vet.stem(r.version, at)+ending] = strings.Repeat(string("abcde"[i]), 64)
	}
	if err := r.manifests(vet, sums); err != nil {
		t.Fatal(err)
	}
	const from = "https://github.com/thresh-dev/thresh/releases/download/v1.2.3/thresh-vet_1.2.3_"
	for name, want := range map[string][]string{
		"homebrew/thresh-vet.rb": {"class ThreshVet < Formula", `desc "Finds Go code`,
			from + "darwin_arm64.tar.gz\"\n      sha256 \"" + strings.Repeat("d", 64)},
		"thresh-vet.json":                                {from + `windows_amd64.zip`, strings.Repeat("e", 64), `"bin": "thresh-vet.exe"`},
		"thresh-vet.nix":                                 {from + "linux_arm64.tar.gz\";\n      sha256 = \"" + strings.Repeat("b", 64)},
		"winget/thresh-dev.thresh-vet.yaml":              {`PackageVersion: "1.2.3"`},
		"winget/thresh-dev.thresh-vet.installer.yaml":    {from + "windows_amd64.zip\n  InstallerSha256: " + strings.Repeat("e", 64), "ReleaseDate: 2026-09-21"},
		"winget/thresh-dev.thresh-vet.locale.en-US.yaml": {"ShortDescription: finds Go code"},
	} {
		text, err := os.ReadFile(filepath.Join(r.folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %q:\n%s", name, part, text)
			}
		}
		if strings.Contains(string(text), "completion") {
			t.Errorf("%s installs completions, which thresh-vet does not have", name)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid(text) {
			t.Errorf("%s is not JSON", name)
		}
	}
	delete(sums, vet.stem(r.version, targets[1])+".tar.gz")
	if err := r.manifests(vet, sums); err == nil {
		t.Error("an archive that is missing is no error")
	}
}
