package versus

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab/peer"
)

// The questions. Arguments come before the input; the flags of a way follow.
var (
	askLines     = query{name: "lines", thresh: []string{"count", "--lines"}, want: wantLines}
	askLiteral   = query{name: "literal", thresh: []string{"count", "--text", frequentText}, want: wantCount(frequentText)}
	askEarly     = query{name: "find early", thresh: []string{"find", "--text", earlyText}, want: wantFirst(earlyText)}
	askLate      = query{name: "find late", thresh: []string{"find", "--text", lateText}, want: wantFirst(lateText)}
	askNone      = query{name: "find none", thresh: []string{"find", "--text", noText}, want: wantFirst(noText), status: 1}
	askRegex     = query{name: "regex", thresh: []string{"count", "--regex", patternText}}
	askNonzero   = query{name: "nonzero", thresh: []string{"count", "--nonzero"}, want: wantNonzero}
	askCountries = query{name: "table", thresh: onRows("--group", "3", "--agg", "count,sum(4)")}
	askMinify    = query{name: "minify", thresh: []string{"minify"}, output: true}
	askFolder    = query{
		name: "literal in files", thresh: []string{"count", "--text", frequentText}, want: wantCount(frequentText),
		answer: lastNumber,
	}
)

const (
	frequentText = "status=500"
	patternText  = `user=4[0-9]{8} GET`
)

// repeat repeats a question.
func repeat(n int, q query) []query { return slices.Repeat([]query{q}, n) }

// Neighbours, as children of this program.
var (
	spin = []string{"spin"}              // keeps one processor busy
	walk = []string{"walk", "268435456"} // reads memory on one processor
)

var (
	oneProcessor = limits{cpus: 1}
	halfMemory   = limits{memory: 0.5}
)

// Five questions in a row about a log. ripgrep can answer the second five.
var (
	mix  = []query{askLines, askLiteral, askLate, askRegex, askWords}
	five = []query{askLines, askLiteral, askLate, askRegex, askNone}
)

// askWords groups a log's lines by their second word.
var askWords = query{
	name: "table", thresh: []string{"table", "-d", " ", "--quote", "none", "--malformed", "keep", "--group", "2"},
}

const (
	sizeLarge = measureBytes     // of the size that --size says
	sizeHuge  = 8_000_000_000    // exact, with --full
	sizeSmall = measureBytes / 4 // of questions that take longer
)

// situationList is the matrix.
var situationList = []situation{
	// Small files: the start is all.
	{name: "tiny-read", exact: 1000, text: logText, lie: lieRead, asks: repeat(4, askLines)},
	{name: "tiny-cold", exact: 1000, text: logText, asks: []query{askLate, askLate}},
	{name: "1MB-copied", exact: 1e6, text: logText, lie: lieCopied, asks: repeat(4, askLines)},
	{name: "1MB-cold", exact: 1e6, text: logText, asks: repeat(4, askLines)},
	{name: "16MB-cold", exact: 16e6, text: logText, asks: repeat(4, askLines)},
	{name: "16MB-appended", exact: 16e6, text: logText, lie: lieAppended, asks: repeat(4, askLines)},
	{name: "64MB-cold-late", exact: 64e6, text: logText, asks: repeat(2, askLate)},

	// One to four questions about a cold file.
	{name: "cold-1", bytes: sizeLarge, text: logText, asks: repeat(1, askLines)},
	{name: "cold-2", bytes: sizeLarge, text: logText, asks: repeat(2, askLines)},
	{name: "cold-3", bytes: sizeLarge, text: logText, asks: []query{askLines, askLate, askLiteral}},
	{name: "cold-4", bytes: sizeLarge, text: logText, asks: repeat(4, askLines), peers: []rival{rgLines}},
	{name: "cold-early", bytes: sizeLarge, text: logText, asks: repeat(2, askEarly)},
	{name: "cold-late", bytes: sizeLarge, text: logText, asks: repeat(2, askLate)},
	{name: "cold-none", bytes: sizeLarge, text: logText, asks: repeat(2, askNone)},
	{name: "cold-table", bytes: sizeSmall, text: rowText, asks: repeat(2, askCountries)},
	{name: "cold-minify", bytes: sizeSmall, text: jsonText, asks: repeat(2, askMinify)},

	// Files as they lie in the page cache.
	{name: "appended", bytes: sizeLarge, text: logText, lie: lieAppended, asks: repeat(4, askLines)},
	{name: "copied", bytes: sizeLarge, text: logText, lie: lieCopied, asks: repeat(4, askLines)},
	{name: "read", bytes: sizeLarge, text: logText, lie: lieRead, asks: repeat(4, askLines)},
	{name: "copied-nonzero", bytes: sizeLarge, text: logText, lie: lieCopied, asks: repeat(2, askNonzero)},
	{name: "read-nonzero", bytes: sizeLarge, text: logText, lie: lieRead, asks: repeat(2, askNonzero)},
	{name: "read-early", bytes: sizeLarge, text: logText, lie: lieRead, asks: repeat(2, askEarly)},
	{name: "copied-late", bytes: sizeLarge, text: logText, lie: lieCopied, asks: repeat(2, askLate)},
	{name: "read-none", bytes: sizeLarge, text: logText, lie: lieRead, asks: repeat(2, askNone)},
	{name: "copied-table", bytes: sizeSmall, text: rowText, lie: lieCopied, asks: repeat(2, askCountries)},
	{name: "read-minify", bytes: sizeSmall, text: jsonText, lie: lieRead, asks: repeat(2, askMinify)},
	{name: "half-first", bytes: sizeLarge, text: logText, lie: lieHalf, asks: repeat(3, askLines)},
	{name: "half-striped", bytes: sizeLarge, text: logText, lie: lieStriped, asks: repeat(3, askLines)},
	{name: "sparse", bytes: 2 * sizeLarge, text: logText, lie: lieSparse, asks: repeat(3, askNonzero)},
	{name: "tmpfs", bytes: sizeLarge, text: logText, lie: lieCopied, shm: true, asks: repeat(3, askLines)},
	{name: "tmpfs-late", bytes: sizeLarge, text: logText, lie: lieCopied, shm: true, asks: repeat(2, askLate)},

	// Beside others, and in containers.
	{name: "busy-read", bytes: sizeLarge, text: logText, lie: lieRead, beside: spin, asks: repeat(3, askLines)},
	{name: "busy-cold", bytes: sizeLarge, text: logText, beside: spin, asks: repeat(2, askLines)},
	{name: "walk-copied", bytes: sizeLarge, text: logText, lie: lieCopied, beside: walk, asks: repeat(3, askLines)},
	{name: "quota-read", bytes: sizeLarge, text: logText, lie: lieRead, limit: oneProcessor, asks: repeat(3, askLines)},
	{name: "quota-cold", bytes: sizeLarge, text: logText, limit: oneProcessor, asks: repeat(2, askLines)},
	{name: "memory-cold", bytes: sizeLarge, text: logText, limit: halfMemory, asks: repeat(3, askLines)},
	{name: "memory-late", bytes: sizeLarge, text: logText, limit: halfMemory, asks: repeat(2, askLate)},

	// Many inputs.
	{name: "files-small-cold", exact: 8e6, files: 2000, text: logText, asks: repeat(2, askFolder),
		peers: []rival{rgFiles}},
	{name: "files-small-read", exact: 8e6, files: 2000, text: logText, lie: lieRead, asks: repeat(2, askFolder),
		peers: []rival{rgFiles}},
	{name: "files-large-cold", bytes: sizeLarge, files: 100, text: logText, asks: repeat(2, askFolder),
		peers: []rival{rgFiles}},
	{name: "files-large-copied", bytes: sizeLarge, files: 100, text: logText, lie: lieCopied, asks: repeat(2, askFolder),
		peers: []rival{rgFiles}},
	{name: "files-10MB-cold", exact: 1e9, files: 100, text: logText, asks: repeat(2, askFolder),
		peers: []rival{rgFiles}},
	{name: "files-10MB-read", exact: 1e9, files: 100, text: logText, lie: lieRead, asks: repeat(2, askFolder),
		peers: []rival{rgFiles}},

	// Five questions in a row about a cold file, beside other programs.
	{name: "five", bytes: sizeLarge, text: logText, asks: mix},
	{name: "five-rg", bytes: sizeLarge, text: logText, asks: five, peers: []rival{rgFive}},
	{name: "five-wc", bytes: sizeLarge, text: logText, asks: repeat(5, askLines), peers: []rival{wcLines}},
	{name: "five-duckdb", bytes: sizeLarge, text: rowText, asks: fiveRows, peers: []rival{duckFive}},

	// What fits into memory only just.
	{name: "8GB-cold", exact: sizeHuge, text: logText, asks: repeat(2, askLines), full: true},
	{name: "8GB-read", exact: sizeHuge, text: logText, lie: lieRead, asks: repeat(2, askLate), full: true},
}

// fiveRows are five questions about rows of orders: id, city, country, amount, note.
var fiveRows = []query{
	{name: "rows", thresh: []string{"count", "--lines"}, want: wantLines},
	{name: "group", thresh: onRows("--group", "3", "--agg", "count,sum(4)", "--format", "csv"), answer: sameRows},
	{name: "where", thresh: onRows("--where", "4 > 900", "--agg", "count", "--format", "csv"), answer: sameRows},
	{name: "top", thresh: onRows("--top", "5:2", "--format", "csv"), answer: sameRows},
	{name: "extremes", thresh: onRows("--agg", "min(4),max(4)", "--format", "csv"), answer: sameRows},
}

func onRows(args ...string) []string { return append([]string{"table", "--quote", "none"}, args...) }

// sameRows makes tables comparable: without the header, and numbers without zeros at their end.
func sameRows(stdout string) (string, error) {
	var out []string
	for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		if i == 0 {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), ",")
		for j, field := range fields {
			if v, err := strconv.ParseFloat(field, 64); err == nil {
				fields[j] = strconv.FormatFloat(v, 'g', 12, 64)
			}
		}
		out = append(out, strings.Join(fields, ","))
	}
	if len(out) == 0 {
		return "", fmt.Errorf("no rows in %q", peer.FirstLine(stdout))
	}
	return strings.Join(out, "\n"), nil
}

// lastNumber returns the total that stands in the last line of a count of many inputs.
func lastNumber(stdout string) (string, error) {
	rows := strings.Split(strings.TrimSpace(stdout), "\n")
	return firstField(rows[len(rows)-1])
}

// plain is the same command for each of some questions whose answers are known.
func plain(name, want string, n int, args []string) []contender {
	return slices.Repeat([]contender{{name: name, args: args, want: want, answer: firstField}}, n)
}

var rgLines = rival{name: "rg -c", tool: "rg", steps: func(_ *matrix, c *corpus) ([]contender, error) {
	want, err := wantLines(c)
	return plain("rg", want, 4, peer.RgLines(c.files[0].Name)), err
}}

var wcLines = rival{name: "wc -l", tool: "wc", steps: func(_ *matrix, c *corpus) ([]contender, error) {
	feeds, err := wantCount("\n")(c) // wc counts line feeds, and not a last line without one
	return plain("wc", feeds, 5, peer.WcLines(c.files[0].Name)), err
}}

var rgFiles = rival{name: "rg", tool: "rg", steps: func(_ *matrix, c *corpus) ([]contender, error) {
	want, err := wantCount(frequentText)(c)
	step := contender{
		name: "rg", args: peer.Rg("-uuu", "--count-matches", "-F", frequentText, c.folder), want: want, answer: sumOfCounts,
	}
	if want == "0" {
		err = errors.Join(err, errors.New("no file has the text"))
	}
	return []contender{step, step}, err
}}

// sumOfCounts adds the numbers of lines that read FILE:NUMBER.
func sumOfCounts(stdout string) (string, error) {
	sum := 0
	for line := range strings.Lines(stdout) {
		n, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndex(line, ":")+1:]))
		if err != nil {
			return "", err
		}
		sum += n
	}
	return strconv.Itoa(sum), nil
}

// rgFive asks ripgrep the questions of five, in the fastest way that prints as much.
var rgFive = rival{name: "rg", tool: "rg", steps: func(b *matrix, c *corpus) ([]contender, error) {
	file := c.files[0].Name
	lines, err := wantLines(c)
	frequent, ferr := wantCount(frequentText)(c)
	at, lerr := wantFirst(lateText)(c)
	steps := plain("rg", lines, 1, peer.RgLines(file))
	steps = append(steps, plain("rg", frequent, 1, peer.Rg("--count-matches", "-F", frequentText, file))...)
	steps = append(steps, contender{
		name: "rg", args: peer.Rg("-b", "-o", "-m", "1", "-F", lateText, file), want: at + ":" + lateText,
	})
	steps = append(steps, contender{
		name: "rg", args: peer.Rg("--count-matches", patternText, file), answer: b.agree("five-rg, regex", nil),
	})
	steps = append(steps, contender{name: "rg", args: peer.Rg("-b", "-o", "-m", "1", "-F", noText, file), status: 1})
	return steps, errors.Join(err, ferr, lerr)
}}

// duckFive asks DuckDB the questions of fiveRows, each in a process of its own that times itself.
var duckFive = rival{name: "DuckDB", steps: func(b *matrix, c *corpus) (steps []contender, err error) {
	python, err := python("duckdb")
	if err != nil {
		return nil, err
	}
	for _, q := range fiveRows {
		step := contender{
			name: "DuckDB, " + q.name,
			args: peer.FiveDuckDB(python, runtime.NumCPU(), c.files[0].Name, q.name),
			rate: ownClock(1),
		}
		read := b.agree("five-duckdb, "+q.name, sameRows)
		if q.want != nil {
			if step.want, err = q.want(c); err != nil {
				return nil, err
			}
			read = func(rows string) (string, error) { return strings.TrimSpace(rows), nil }
		}
		step.answer = func(stdout string) (string, error) {
			p, err := peer.ParseTimed(stdout)
			if err != nil {
				return "", err
			}
			var rows string
			if err := json.Unmarshal(p.Answer, &rows); err != nil {
				return "", err
			}
			return read(rows)
		}
		steps = append(steps, step)
	}
	return steps, nil
}}
