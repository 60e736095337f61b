package donations

import (
	"bufio"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// program is how a program in another language is found and asked.
type program struct {
	id, what  string
	by        rule
	published float64 // seconds, 0 for none
	missing   func() string
	exec      func(ctx context.Context, path string) (peer.Output, error)
	// answer returns the program's answer, and its seconds if it timed itself.
	answer func(peer.Output) (Answer, float64, error)
}

func variantsOf(programs []program, peer bool) (all []lab.Variant) {
	for _, p := range programs {
		v := lab.Variant{
			ID: "donations/" + p.id, What: p.what, Work: p.by.work(), Peer: peer, Input: input, WantOf: p.by.want,
			Settings: []lab.Setting{warm(0)}, Missing: p.missing, Run: p.run,
		}
		if p.published > 0 {
			v.Published = []lab.Published{{Value: p.published, Setting: warm(0)}}
		}
		all = append(all, v)
	}
	return all
}

// peers returns other programs: those that answer the four questions, and those that only count lines, to
// be held against read-text and read-bytes. DuckDB and Polars time their queries themselves, so the start of
// the interpreter does not count.
func peers() []lab.Variant {
	library := func(name string) func() string { return func() string { return peer.NoLibrary(name) } }
	installed := func(name string) func() string { return func() string { return peer.NotInstalled(name) } }
	asked := func(statusMax int, command func(path string) []string) func(context.Context, string) (peer.Output, error) {
		return func(ctx context.Context, path string) (peer.Output, error) {
			return peer.Run(ctx, statusMax, command(path)...)
		}
	}
	duckDB := func(path string) []string {
		return peer.DuckDB(peer.Python(""), runtime.NumCPU(), "", path, "donations")
	}
	polars := func(path string) []string {
		return peer.Polars(peer.Python(""), runtime.NumCPU(), path, "donations")
	}
	return variantsOf([]program{
		{"duckdb", "DuckDB, from Python", byQuestion, 0, library("duckdb"), asked(0, duckDB), answerOfScript},
		{"polars", "Polars, from Python", byQuestion, 0, library("polars"), asked(0, polars), answerOfScript},
		{"mawk", "mawk, one pass", byQuestion, 0, installed("mawk"), asked(0, peer.Mawk), answerOfText},
		{"wc", "wc -l, lines only", linesOnly, 0, installed("wc"), asked(0, peer.WcLines), countOfLines},
		{"rg", "ripgrep, lines only", linesOnly, 0, installed("rg"), asked(1, peer.RgLines), countOfLines},
	}, true)
}

func (p program) run(ctx context.Context, t lab.Task) (lab.Outcome, error) {
	out, err := p.exec(ctx, t.Path)
	if err != nil {
		return lab.Outcome{}, err
	}
	a, seconds, err := p.answer(out)
	if err != nil {
		return lab.Outcome{}, fmt.Errorf("%s: %w", p.id, err)
	}
	if seconds == 0 {
		seconds = out.Seconds
	}
	return lab.Outcome{Seconds: seconds, Bytes: t.Bytes, Items: a.Lines, Answer: a.text(p.by),
		UserSeconds: out.UserSeconds, SystemSeconds: out.SystemSeconds}, nil
}

func answerOfScript(out peer.Output) (a Answer, seconds float64, err error) {
	timed, err := peer.ParseTimed(out.Stdout)
	if err != nil {
		return a, 0, err
	}
	return a, timed.Seconds, json.Unmarshal(timed.Answer, &a)
}

// answerOfText parses lines such as "name: DOE, JANE", for each of the rows that are asked for, and "seconds: 1.5", of
// a program with a clock of its own.
func answerOfText(out peer.Output) (Answer, float64, error) { return parseAnswer(out.Stdout) }

// countOfLines parses the number at the beginning of the output. For no lines ripgrep prints nothing, and says so
// by status 1.
func countOfLines(out peer.Output) (a Answer, seconds float64, err error) {
	number, _, _ := strings.Cut(peer.FirstLine(out.Stdout), " ")
	if number == "" && out.Status == 1 {
		return a, 0, nil
	}
	a.Lines, err = strconv.ParseInt(number, 10, 64)
	return a, 0, err
}

// parseAnswer parses what a program prints.
func parseAnswer(stdout string) (a Answer, seconds float64, err error) {
	a.Months = map[string]int64{}
	names := 0
	lines := bufio.NewScanner(strings.NewReader(stdout))
	for lines.Scan() {
		what, value, _ := strings.Cut(lines.Text(), ": ")
		var e error
		switch what {
		case "seconds":
			seconds, e = strconv.ParseFloat(value, 64)
		case "lines":
			a.Lines, e = strconv.ParseInt(value, 10, 64)
		case "name":
			if names == len(a.Names) {
				return a, 0, fmt.Errorf("it prints more than %d names", len(a.Names))
			}
			a.Names[names] = strings.TrimSpace(value)
			names++
		case "month":
			var month string
			var n int64
			month, n, e = lastNumber(value)
			a.Months[month] += n
		case "first":
			a.First, a.FirstCount, e = lastNumber(value)
		default:
			e = errors.New("it means nothing")
		}
		if e != nil {
			return a, 0, fmt.Errorf("line %q of its output: %w", lines.Text(), e)
		}
	}
	return a, seconds, lines.Err()
}

// lastNumber splits "JOHN 17" into its parts.
func lastNumber(text string) (string, int64, error) {
	space := strings.LastIndexByte(text, ' ')
	if space < 0 {
		return "", 0, errors.New("it has no number")
	}
	n, err := strconv.ParseInt(text[space+1:], 10, 64)
	return text[:space], n, err
}

//go:embed java/*.java
var javaSources embed.FS

// javas returns the programs in Java. We wrote them from their description in the article. They
// take the time from the beginning of main, as the Go programs do, so the start of the virtual machine
// does not count; processor time does count it.
func javas() []lab.Variant {
	missing := func() string { return peer.NotInstalled("javac", "java") }
	return variantsOf([]program{
		// The program of Paige Niedringhaus that began it: a BufferedReader, lists, and a great many small
		// strings, because a line is split into all of its 21 fields by a regular expression.
		{"java-reader", "the first Java program: BufferedReader, lists, all fields split", byExpression, 84, missing,
			java("Reader"), answerOfText},
		// The fastest of seven variations by Stuart Marks, from which Rev0 was ported.
		{"java-7", "Java, seventh variation: one pass, streams that group and count", byExpression, 23, missing,
			java("Seven"), answerOfText},
		// Exercise 3: "make Variation7 as fast as our Revision 9".
		{"java-9", "the design of rev9 in Java (exercise 3)", byExpression, 0, missing, java("Nine"), answerOfText},
	}, false)
}

// java runs a class.
func java(class string) func(ctx context.Context, path string) (peer.Output, error) {
	return func(ctx context.Context, path string) (peer.Output, error) {
		folder, err := compiledJava(ctx)
		if err != nil {
			return peer.Output{}, err
		}
		out, err := peer.Exec(ctx, nil, "java", "-cp", folder, class, path)
		return out, errors.Join(err, out.Ended(0, "java"))
	}
}

// compiledJava returns a folder with the compiled classes: in the user's cache folder, by the hash of the
// sources, so that they are compiled once.
func compiledJava(ctx context.Context) (folder string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sources, err := fs.Glob(javaSources, "java/*.java")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, name := range sources {
		source, err := javaSources.ReadFile(name)
		if err != nil {
			return "", err
		}
		hash.Write(source)
	}
	parent := filepath.Join(cache, "thresh", "lab")
	folder = filepath.Join(parent, fmt.Sprintf("donations-java-%.8x", hash.Sum(nil)))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(parent, "javac-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	if err := os.CopyFS(made, javaSources); err != nil {
		return "", err
	}
	args := []string{"--release", "11", "-d", made}
	for _, name := range sources {
		args = append(args, filepath.Join(made, filepath.FromSlash(name)))
	}
	if out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("javac: %w: %.500s", err, out)
	}
	if err := os.Rename(made, folder); err != nil {
		// Another process may have made it at the same time.
		if _, e := os.Stat(folder); e != nil {
			return "", err
		}
	}
	return folder, nil
}
