package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// peerCase is a command line that thresh, GNU grep and ripgrep all understand.
type peerCase struct {
	flags    []string
	patterns []string
	text     string
	several  bool // two files
}

func (c *peerCase) has(flags ...string) bool {
	return slices.ContainsFunc(c.flags, func(f string) bool { return slices.Contains(flags, f) })
}

// difference is a habit that thresh does not share with a program, and why.
type difference struct {
	program, why string
	applies      func(c *peerCase) bool
}

// differences lists all that are known. A case to which one applies is not compared with the program.
var differences = []difference{
	{"grep", "of patterns that match at one place grep takes the longest, thresh and ripgrep the first given one",
		func(c *peerCase) bool { return c.has("-o") && len(c.patterns) > 1 || c.has("-o") && c.matches(`|`) }},
	{"grep", "grep has no smart case", func(c *peerCase) bool { return c.has("-S") }},
	{"grep", "grep knows no \\x, and \\b and [:upper:] in it mean all scripts",
		func(c *peerCase) bool { return c.matches(`\`) || c.matches("[:") }},
	{"grep", "grep -w looks at a longer or shorter match at the same place only, and goes on behind an empty one",
		func(c *peerCase) bool { return c.has("-w") && (c.matches("*") || c.matches("?") || c.empty()) }},
	{"grep", "in a line that is not UTF-8 grep matches no byte of it by . or [^a], and takes the file as binary",
		func(c *peerCase) bool { return strings.Contains(c.text, "\xff") }},
	{"grep", "a zero byte in a buffer makes grep take all of the buffer as binary, and end lines at zero bytes",
		func(c *peerCase) bool { return strings.Contains(c.text, "\x00") }},
	{"rg", "a zero byte in a buffer makes ripgrep take all of the buffer as binary, and end lines at zero bytes",
		func(c *peerCase) bool { return strings.Contains(c.text, "\x00") }},
	{"rg", "ripgrep prints no count of a file without a selected line", func(c *peerCase) bool { return c.has("-c") }},
	{"rg", "ripgrep -o prints an empty line for each empty match",
		func(c *peerCase) bool { return c.has("-o") && (c.matches("*") || c.matches("?") || c.empty()) }},
	{"rg", "in ripgrep \\b means all scripts, and . no byte that is not UTF-8",
		func(c *peerCase) bool { return c.matches(`\b`) || strings.Contains(c.text, "\xff") && !c.has("-F") }},
	{"rg", "behind the last line that -m allows, ripgrep prints context that would be selected as if it were",
		func(c *peerCase) bool { return c.has("-m1", "-m2") && c.has("-C1", "-A2", "-B1") }},
}

func (c *peerCase) matches(part string) bool {
	return !c.has("-F") && strings.Contains(strings.Join(c.patterns, " "), part)
}

func (c *peerCase) empty() bool {
	return slices.ContainsFunc(c.patterns, func(p string) bool { return p == "" || p == "^" || p == "$" || p == "^$" })
}

var peerExprs = []string{"a", "ab", "a+b", "[ab]c", "ab|a", "fo*", "f.o", "[^a]b", "a.*b", "é", "^a", "b$", "^$", "", "o?x", `\x62`, `\bfoo`, "foo bar", "K",
	`\p{Lu}`, `\p{Lu}o`, "[[:upper:]]", `\x4b`, "[K-L]"}

func randomPeerCase(r *rand.Rand) peerCase {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var c peerCase
	for range 1 + r.IntN(3) {
		c.patterns = append(c.patterns, pick(peerExprs...))
	}
	if r.IntN(2) == 0 {
		c.patterns = c.patterns[:1]
	}
	var b strings.Builder
	odd := pick("", "", "", "\xff", "\x00")
	for range r.IntN(30) {
		for range r.IntN(6) {
			b.WriteString(pick("a", "b", "ab", "foo", "bar", " ", "_", "é", "É", "x", "c", "FOO", "\r", "-", "k", "K", odd))
		}
		b.WriteByte('\n')
	}
	if c.text = b.String(); r.IntN(3) == 0 {
		c.text = strings.TrimSuffix(c.text, "\n")
	}
	c.several = r.IntN(4) == 0
	add := func(n int, of ...string) {
		if r.IntN(n) == 0 {
			c.flags = append(c.flags, pick(of...))
		}
	}
	add(4, "-F")
	add(4, "-i", "-S")
	add(4, "-v")
	add(4, "-w", "-x")
	add(4, "-a")
	if add(4, "-c", "-l", "-q"); !c.has("-l") {
		add(4, "-H", "-h")
	}
	if !c.has("-c", "-l", "-q") {
		add(3, "-n")
		add(4, "-b")
		add(4, "-m1", "-m2")
		if add(4, "-o"); c.has("-o") {
			c.flags = slices.DeleteFunc(c.flags, func(f string) bool { return f == "-v" })
		} else {
			add(3, "-C1", "-A2", "-B1")
		}
	}
	return c
}

// TestGrepLikePeers compares output and exit status with those of GNU grep and ripgrep.
func TestGrepLikePeers(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	programs := map[string][]string{"grep": {"grep", "-E", "--color=never"}, "rg": {"rg", "--no-config", "--color=never", "--no-heading", "--sort=path"}}
	for name, debian := range map[string]string{"grep": "grep", "rg": "ripgrep"} {
		client.Program(t, name, debian)
	}
	compared, applied := map[string]int{}, map[string]bool{}
	for i := range rounds.Of(500) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		c := randomPeerCase(r)
		must(t, os.WriteFile(one, []byte(c.text), 0o600))
		must(t, os.WriteFile(two, []byte("ab foo\nb\n"), 0o600))
		args := slices.Clone(c.flags)
		for _, p := range c.patterns {
			args = append(args, "-e", p)
		}
		if args = append(args, one); c.several {
			args = append(args, two)
		}
		out, status := ownGrep(t, args)
		for name, program := range programs {
			at := slices.IndexFunc(differences, func(d difference) bool { return d.program == name && d.applies(&c) })
			if at >= 0 {
				applied[differences[at].why] = true
				continue
			}
			compared[name]++
			theirs := program[1:]
			if c.has("-F") && name == "grep" {
				theirs = theirs[1:] // -E and -F contradict each other
			}
			cmd := exec.Command(program[0], slices.Concat(theirs, args)...)
			if at := slices.Index(cmd.Args, "-h"); at >= 0 && name == "rg" {
				cmd.Args[at] = "-I"
			}
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			want, err := cmd.Output()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if out != string(want) || status != cmd.ProcessState.ExitCode() {
				t.Errorf("case %d: %s %q\non %q\nthresh, status %d: %q\n%s, status %d: %q", i, name, args, c.text, status, out,
					name, cmd.ProcessState.ExitCode(), want)
			}
		}
		if t.Failed() && i > 100 {
			break
		}
	}
	for name := range programs {
		if compared[name] < rounds.Of(500)/4 && !t.Failed() {
			t.Errorf("only %d cases were compared with %s", compared[name], name)
		}
	}
	for _, d := range differences {
		if !applied[d.why] && !t.Failed() && !testing.Short() { // short runs have too few cases for that
			t.Errorf("no case shows the difference %q: remove it from the list", d.why)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ownGrep runs thresh grep in this process.
func ownGrep(t *testing.T, args []string) (out string, status int) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "out")
	must(t, err)
	defer f.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(t, err)
	defer null.Close()
	status = runHere(append([]string{"grep"}, args...), null, f, null)
	b, err := os.ReadFile(f.Name())
	must(t, err)
	return string(b), status
}
