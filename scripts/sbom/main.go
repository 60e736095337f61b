// Command sbom writes what a program was built from, as an SPDX 2.3 document: the modules that the
// Go linker noted in the binary itself, so the list cannot differ from the program, and the npm packages of
// a script bundle, if the binary embeds it.
//
//	sbom [-created 2026-01-02T15:04:05Z] [-bundle FOLDER] BINARY DOCUMENT
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	created := flag.String("created", "", "time of the document, for reproducible releases (default: now)")
	bundle := flag.String("bundle", "", "folder of a script bundle that the binary may embed, with its package-lock.json")
	flag.Parse()
	if err := run(*created, *bundle, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(created, bundle string, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: sbom [-created TIME] [-bundle FOLDER] BINARY DOCUMENT")
	}
	at := time.Now()
	if created != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, created); err != nil {
			return fmt.Errorf("-created: %w", err)
		}
	}
	binary, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	var more []pkg
	if bundle != "" {
		if more, err = bundled(bundle, binary); err != nil {
			return err
		}
	}
	doc := document(filepath.Base(args[1]), sha256.Sum256(binary), at, info, more)
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], append(text, '\n'), 0o644)
}

// The parts of SPDX 2.3 that the document uses; https://spdx.github.io/spdx-spec/v2.3/ defines them.
type (
	spdx struct {
		Version       string         `json:"spdxVersion"`
		DataLicense   string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      creation       `json:"creationInfo"`
		Packages      []pkg          `json:"packages"`
		Relationships []relationship `json:"relationships"`
	}
	creation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	pkg struct {
		ID        string     `json:"SPDXID"`
		Name      string     `json:"name"`
		Version   string     `json:"versionInfo"`
		Location  string     `json:"downloadLocation"`
		Analyzed  bool       `json:"filesAnalyzed"`
		License   string     `json:"licenseDeclared"`
		Comment   string     `json:"comment,omitempty"` // its hash, as in go.sum or package-lock.json
		Checksums []checksum `json:"checksums,omitempty"`
		Refs      []ref      `json:"externalRefs"`
	}
	checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	ref struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	relationship struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

// document returns the document about a binary with that SHA-256, that build information, and more packages
// that it embeds.
func document(name string, sum [sha256.Size]byte, at time.Time, info *debug.BuildInfo, more []pkg) spdx {
	const root = "SPDXRef-DOCUMENT"
	doc := spdx{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: root, Name: strings.TrimSuffix(name, ".spdx.json"),
		Namespace: fmt.Sprintf("https://%s/spdx/%x", info.Main.Path, sum),
		Creation:  creation{at.UTC().Format(time.RFC3339), []string{"Tool: thresh-sbom"}},
	}
	main := goPackage(info.Main.Path, info.Main.Version, "")
	main.License = "Apache-2.0"
	main.Checksums = []checksum{{"SHA256", fmt.Sprintf("%x", sum)}}
	doc.Packages = append(doc.Packages, main, goPackage("stdlib", strings.TrimPrefix(info.GoVersion, "go"), ""))
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		doc.Packages = append(doc.Packages, goPackage(dep.Path, dep.Version, dep.Sum))
	}
	doc.Relationships = append(doc.Relationships, relationship{root, "DESCRIBES", main.ID})
	for _, p := range doc.Packages[1:] {
		doc.Relationships = append(doc.Relationships, relationship{main.ID, "DEPENDS_ON", p.ID})
	}
	for _, p := range more {
		doc.Packages = append(doc.Packages, p)
		doc.Relationships = append(doc.Relationships, relationship{main.ID, "CONTAINS", p.ID})
	}
	return doc
}

// goPackage returns the package of a Go module, whose licence its build information does not say.
func goPackage(path, version, sum string) pkg {
	const unknown = "NOASSERTION"
	return newPackage("golang", path, version, unknown, sum)
}

// newPackage returns a package of a kind of registry, as package URLs name it.
func newPackage(kind, name, version, license, sum string) pkg {
	id := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' {
			return c
		}
		return '-' // all that SPDX allows in identifiers
	}, name)
	return pkg{
		ID: "SPDXRef-Package-" + kind + "-" + id, Name: name, Version: version, Comment: sum,
		Location: "NOASSERTION", License: license,
		Refs: []ref{{"PACKAGE-MANAGER", "purl", "pkg:" + kind + "/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")}},
	}
}
