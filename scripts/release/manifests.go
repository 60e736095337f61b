package main

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed templates
var texts embed.FS

var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"class": class, "capital": capital}).ParseFS(texts, "templates/*"))

// manifest is a file that tells a package manager where a program's archives are.
type manifest struct{ template, to string } // to has * for the name of the program

var managers = []manifest{
	{"formula.rb", "homebrew/*.rb"},
	{"scoop.json", "*.json"},
	{"package.nix", "*.nix"},
	{"winget.yaml", "winget/thresh-dev.*.yaml"},
	{"winget.installer.yaml", "winget/thresh-dev.*.installer.yaml"},
	{"winget.locale.yaml", "winget/thresh-dev.*.locale.en-US.yaml"},
}

// described is what templates see.
type described struct {
	program
	Version, Folder string // Folder has the archives
	Date            string
	archives        map[target]string
	sums            map[string]string
}

// URL is where the archive for a system is.
func (d described) URL(os, arch string) string { return d.Folder + d.archives[target{os, arch}] }

// Sum is the SHA-256 of the archive for a system.
func (d described) Sum(os, arch string) string { return d.sums[d.archives[target{os, arch}]] }

// Stem is the folder in the archive for a system.
func (d described) Stem(os, arch string) string { return d.stem(d.Version, target{os, arch}) }

// class makes the name of a class, ThreshVet, of a program's.
func class(name string) (out string) {
	for part := range strings.SplitSeq(name, "-") {
		out += capital(part)
	}
	return out
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// manifests writes the files for package managers.
func (r *release) manifests(p program, sums map[string]string) error {
	d := described{program: p, Version: r.version, Date: r.at.Format(time.DateOnly),
		Folder:   "https://github.com/thresh-dev/thresh/releases/download/v" + r.version + "/",
		archives: map[target]string{}, sums: sums}
	for _, t := range targets {
		for _, ending := range []string{".tar.gz", ".zip"} {
			if name := p.stem(r.version, t) + ending; sums[name] != "" {
				d.archives[t] = name
			}
		}
		if d.archives[t] == "" {
			return fmt.Errorf("%s has no archive for %v", p.Name, t)
		}
	}
	for _, m := range managers {
		if err := fill(filepath.Join(r.folder, strings.ReplaceAll(m.to, "*", p.Name)), m.template, d); err != nil {
			return err
		}
	}
	return nil
}

// fill writes a file by a template.
func fill(name, by string, with any) error {
	var text strings.Builder
	if err := templates.ExecuteTemplate(&text, by, with); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text.String()), 0o644)
}

// packed is what the template of nfpm's settings sees.
type packed struct {
	program
	Version, Arch, Binary, Time, About, Suggests string
	Files                                        []packedFile
}

type packedFile struct{ From, To, Only string }

// pack writes a deb and an rpm package.
func (r *release) pack(p program, t target, binary string) error {
	d := packed{p, r.version, t.Arch, binary, r.at.Format(time.RFC3339), p.about, p.suggests, nil}
	d.About = strings.ReplaceAll(d.About, "\n", "\n  ")
	for _, f := range p.inPackage() {
		d.Files = append(d.Files, packedFile{f.from, f.to, f.only})
	}
	settings := filepath.Join(filepath.Dir(binary), "nfpm.yaml")
	if err := fill(settings, "nfpm.yaml", d); err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		name := filepath.Join(r.folder, p.stem(r.version, t)+"."+format)
		pack := exec.Command(filepath.Join(r.tools, "nfpm"), "package", "-f", settings, "-p", format, "-t", name)
		if err := run(pack); err != nil {
			return err
		}
	}
	return nil
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
