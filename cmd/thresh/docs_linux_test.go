package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/gen"
)

// TestDocs runs what the pages show. In each block that begins with ```console, lines that begin with
// "$ " are commands for bash, a command goes on in the next line after a backslash, and what follows is
// their output, on both streams. A page is one session in a folder with the data of docsData. A line
// "..." stands for any number of lines; how long a receipt says that a run took is not compared.
//
// With THRESH_DOCS=write, the pages get the output that differs from theirs: look at it before committing.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 seconds")
	}
	for _, program := range []string{"bash", "curl", "gzip", "jq"} {
		client.Program(t, program, program)
	}
	data := docsData(t)
	vet := t.TempDir()
	build := exec.Command("go", "build", "-o", vet, "./cmd/thresh-vet")
	build.Dir = "../../vet"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+vet)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	blocks := 0
	for _, name := range append(pages, "../../README.md") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := parsePage(string(text))
			if len(p.commands) == 0 {
				return
			}
			blocks++
			got := runPage(t, data, p)
			differs := false
			for i, c := range p.commands {
				if !sameOutput(c.output, got[i]) {
					differs = true
					p.commands[i].output = got[i]
					if os.Getenv("THRESH_DOCS") != "write" {
						t.Errorf("$ %s\nprinted:\n%s\nthe page has:\n%s", c.text, got[i], c.output)
					}
				}
			}
			if differs && os.Getenv("THRESH_DOCS") == "write" {
				if err := os.WriteFile(name, []byte(p.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if blocks < 8 {
		t.Errorf("only %d pages show a session", blocks)
	}
}

// page is a page in parts: text, and between its parts commands with their output.
type page struct {
	text     []string // one more than commands
	commands []shown
}

// shown is a command as a page shows it, without "$ ", and its output.
type shown struct{ text, output string }

func parsePage(text string) (p page) {
	var before strings.Builder
	inside := false
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.HasPrefix(line, "```") {
			inside = !inside && strings.TrimSpace(line) == "```console"
		}
		if !inside || !strings.HasPrefix(line, "$ ") {
			before.WriteString(line)
			continue
		}
		var c shown
		for c.text = line[2:]; strings.HasSuffix(c.text, "\\\n"); c.text += lines[i] {
			i++
		}
		c.text = strings.TrimSuffix(c.text, "\n")
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") && !strings.HasPrefix(lines[i+1], "```") {
			i++
			c.output += lines[i]
		}
		p.text, p.commands = append(p.text, before.String()), append(p.commands, c)
		before.Reset()
	}
	p.text = append(p.text, before.String())
	return p
}

func (p page) String() string {
	var b strings.Builder
	for i, c := range p.commands {
		fmt.Fprintf(&b, "%s$ %s\n%s", p.text[i], c.text, c.output)
	}
	return b.String() + p.text[len(p.commands)]
}

// mark separates the outputs of commands.
const mark = "\x01next\x01\n"

// runPage runs the commands of a page in one shell, and returns the output of each. The addresses that
// pages show are replaced by free ones, and back.
func runPage(t *testing.T, data string, p page) []string {
	folder := t.TempDir()
	linkAll(t, data, folder)
	var script strings.Builder
	for _, c := range p.commands {
		fmt.Fprintf(&script, "%s\nprintf '\\001next\\001\\n'\n", c.text)
	}
	script.WriteString("kill $(jobs -p) 2>/dev/null\nwait\n")
	text := script.String()
	var back []string
	for _, address := range []string{"127.0.0.1:8080", "127.0.0.1:9000"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		free := l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, address, free)
		back = append(back, free, address)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", text)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CACHE_HOME="+folder+"/.cache", "LC_ALL=C.UTF-8", "TZ=UTC",
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got := strings.Split(strings.NewReplacer(back...).Replace(string(out)), mark)
	if len(got) != len(p.commands)+1 {
		t.Fatalf("%d of %d commands came to an end:\n%s", len(got)-1, len(p.commands), out)
	}
	for i, s := range got[:len(p.commands)] {
		if s != "" && !strings.HasSuffix(s, "\n") {
			got[i] += "\n"
		}
	}
	return got[:len(p.commands)]
}

func goEnv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// timed matches what differs from run to run: in a receipt all after the number of bytes, the wall of a command, in
// limits the figure.
var timed = regexp.MustCompile(`(?m)^([0-9.]+ (?:[KMGT]iB|bytes)) in [0-9.]+ s, [0-9.]+ GB/s(?: \(and .*?skipped\))?: .*$|` +
	`^(thresh: wall: )[a-z].*$|` +
	`^([a-z].*[a-z0-9]) +[0-9.]+ (?:GB/s|ns|files/s) +± .*$`)

// sameOutput compares output with what a page shows.
func sameOutput(want, got string) bool {
	want, got = timed.ReplaceAllString(want, "$1$2$3"), timed.ReplaceAllString(got, "$1$2$3")
	parts := strings.Split("\n"+want, "\n...\n")
	rest, found := strings.CutPrefix("\n"+got, parts[0])
	if len(parts) == 1 {
		return found && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, "\n"+part+"\n")
		found = found && at >= 0
		rest = rest[max(at, 0)+min(len(part)+1, len(rest)):]
	}
	last := parts[len(parts)-1]
	return found && (last == "" || strings.HasSuffix(rest, "\n"+last))
}

// TestSameOutput: the comparison of pages sees what differs.
func TestSameOutput(t *testing.T) {
	receipt := "1.00 GiB in 0.5 s, 2.15 GB/s: memory 72 %, the work itself 22 %\n"
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"", "", true}, {"", "a\n", false}, {"a\n", "a\n", true}, {"a\n", "a\nb\n", false}, {"a\n", "", false},
		{"...\n", "", true}, {"a\n...\n", "a\nb\nc\n", true}, {"a\n...\n", "b\nc\n", false},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true}, {"a\n...\nd\n", "a\nb\nd\nc\n", false},
		{"a\n...\nc\n...\ne\n", "a\nb\nc\nd\ne\n", true}, {"a\n...\nx\n...\ne\n", "a\nb\nc\nd\ne\n", false},
		{receipt, strings.ReplaceAll(receipt, "2", "3"), true},
		{receipt, strings.ReplaceAll(receipt, "1.00", "2.00"), false},
		{receipt, strings.ReplaceAll(receipt, "GB/s:", "GB/s"), false},
	} {
		if sameOutput(c.want, c.got) != c.same {
			t.Errorf("a page has %q, printed is %q: same is not %t", c.want, c.got, c.same)
		}
	}
}

// TestParsePage: nothing of a page is lost when it is written again.
func TestParsePage(t *testing.T) {
	text := "# a\n```console\n$ one \\\n  two\nout\n\n$ three\n```\n$ no command\n```\n$ none\n```\n```console\nfirst\n$ four\nend\n```\n"
	p := parsePage(text)
	if p.String() != text || len(p.commands) != 3 || p.commands[0] != (shown{"one \\\n  two", "out\n\n"}) ||
		p.commands[1] != (shown{"three", ""}) || p.commands[2] != (shown{"four", "end\n"}) {
		t.Errorf("%q", p)
	}
}

// docsData makes the files that pages ask about: those that "make demo" leaves in demo/.
func docsData(t *testing.T) string {
	folder := t.TempDir()
	if err := gen.Demo(folder); err != nil {
		t.Fatal(err)
	}
	linkAll(t, "testdata/docs", folder)
	return folder
}

// linkAll gives the large files below a folder a name in another one; it copies small ones, which a page
// may change, and those on another disk.
func linkAll(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Size() > 1<<20 && os.Link(name, target) == nil {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
