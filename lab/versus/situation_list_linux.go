package versus

import (
	"slices"
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
