package main

import (
	"fmt"
	"path"
)

// target is a system that programs are built for.
type target struct{ OS, Arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
}

func (t target) String() string { return t.OS + "/" + t.Arch }

func (t target) suffix() string {
	if t.OS == "windows" {
		return ".exe"
	}
	return ""
}

// file is a file of an archive or package: one in the sources, or all that a pattern finds, and the folder or name
// where it goes. Of only, a package takes it in that format alone.
type file struct{ from, to, only string }

// program is a program of a release. What has a large letter occurs in templates.
type program struct {
	Name, Description string
	Completions       bool
	about             string // more of the description, in packages
	suggests          string // a package
	module            string // folder of its module
	workspace         bool   // it needs the root beside it
	linker            string // flags
	linux             bool   // it is for Linux only, and no package manager has it
	archived          []file
	packaged          []file // of deb and rpm packages; none: there is no package
}

// charts is the script bundle that thresh-lab embeds.
const charts = "lab/report/charts"

var programs = []program{
	{
		Name: "thresh", Description: "answers questions about files too big for ordinary tools", Completions: true,
		about: "Finds, counts, groups and minifies as fast as the hardware allows, in files,\n" +
			"pipes and compressed inputs of any size, in bounded memory, and says what held\nit back.",
		suggests: "bash-completion", module: ".", linker: "-s -w",
		archived: []file{{from: "README.md"}, {from: "CHANGELOG.md"}, {from: "SECURITY.md"},
			{from: "out/completions/*", to: "completions/"}},
		packaged: []file{
			{"out/completions/thresh.bash", "/usr/share/bash-completion/completions/thresh", ""},
			{"out/completions/thresh.fish", "/usr/share/fish/vendor_completions.d/thresh.fish", ""},
			{"out/completions/_thresh", "/usr/share/zsh/vendor-completions/_thresh", "deb"},
			{"out/completions/_thresh", "/usr/share/zsh/site-functions/_thresh", "rpm"},
			{"CHANGELOG.md", "/usr/share/doc/thresh/CHANGELOG.md", ""},
		},
	},
	{
		Name: "thresh-lab", Description: "reruns published experiments about fast programs",
		about: "Each conclusion of five articles holds on this machine, or does not, with the\n" +
			"reason. \"thresh lab\" runs it.",
		suggests: "thresh", module: "lab", workspace: true, linker: "-w", // perf needs the symbols
		archived: []file{{from: "docs/lab.md"}, {from: charts + "/LICENSES.txt", to: "LICENSES-charts.txt"}},
		packaged: []file{
			{"docs/lab.md", "/usr/share/doc/thresh-lab/lab.md", ""},
			{charts + "/LICENSES.txt", "/usr/share/doc/thresh-lab/LICENSES-charts.txt", ""},
		},
	},
	{
		Name: "thresh-vet", Description: "finds Go code that silently leaves the zero-copy path",
		about: "A linter: files and connections that lose sendfile or splice on their way, and\n" +
			"wrappers that these go round. \"thresh vet\" runs it. It needs the go command.",
		suggests: "thresh", module: "vet", linker: "-s -w",
		archived: []file{{from: "docs/vet.md"}},
		packaged: []file{{"docs/vet.md", "/usr/share/doc/thresh-vet/vet.md", ""}},
	},
	{
		Name: "thresh-cluster", Description: "asks many machines the questions of thresh", suggests: "thresh",
		module: "cluster", workspace: true, linker: "-s -w", linux: true, // Beam takes two minutes to compile for each system
		archived: []file{{from: "docs/scale.md"}},
	},
}

// targets returns the systems that a release has the program for.
func (p program) targets() []target {
	if p.linux {
		return targets[:2]
	}
	return targets
}

// pages is a pattern of the program's manual pages, which scripts/release.sh makes.
func (p program) pages() string {
	if p.Name == "thresh" {
		return "out/man/*.1"
	}
	return "out/man-" + p.Name[len("thresh-"):] + "/*.1"
}

// stem is how the names of all files about a program for a system begin.
func (p program) stem(version string, t target) string {
	return fmt.Sprintf("%s_%s_%s_%s", p.Name, version, t.OS, t.Arch)
}

// inArchive returns all files of the archive, except the program.
func (p program) inArchive() []file {
	return append([]file{{from: "LICENSE"}, {from: p.pages(), to: "man/"}}, p.archived...)
}

// inPackage returns all files of a package, except the program.
func (p program) inPackage() []file {
	return append([]file{
		{p.pages() + ".gz", "/usr/share/man/man1/", ""},
		{"LICENSE", path.Join("/usr/share/doc", p.Name, "copyright"), ""},
	}, p.packaged...)
}
