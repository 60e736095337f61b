package main

import (
	"os"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/input/decompress"
)

// isInput reports whether the first argument of the program names an input and not what to do. Commands, and words of
// other programs that have an answer here, come before files of these names: ./tail is the file.
func isInput(name string) bool {
	if isCommand(name) || installable[name] != "" || programs[strings.ToLower(name)] != "" {
		return false
	}
	exists := func(name string) bool { _, err := os.Stat(name); return name != "" && err == nil }
	return name == "-" || exists(name) || thresh.IsRemote(name) ||
		slices.ContainsFunc(decompress.SplitMember(name), func(pair [2]string) bool { return exists(pair[0]) })
}

// programs are names of other programs that people type as a verb, and what does their work here.
var programs = map[string]string{
	"wc": "thresh count --lines --words", "lines": "thresh count --lines", "words": "thresh count --words",
	"sum": "thresh count --stats, or thresh table --agg 'sum(COLUMN)'", "stats": "thresh count --stats",
	"stat": "thresh count --stats", "histogram": "thresh count --histogram", "hist": "thresh count --histogram",
	"search": "thresh grep for lines, or thresh find for offsets", "rg": "thresh grep", "ag": "thresh grep",
	"ack": "thresh grep", "egrep": "thresh grep", "fgrep": "thresh grep -F", "zgrep": "thresh grep",
	"match": "thresh grep", "locate": "thresh find", "where": "thresh find, or thresh table --where",
	"cmp": "thresh find --nonzero", "csv": "thresh sql, or thresh table", "query": "thresh sql",
	"select": "thresh sql", "group": "thresh table --group", "top": "thresh table --top", "awk": "thresh table",
	"cut": "thresh table", "duckdb": "thresh sql", "jq": "thresh minify for smaller JSON, or thresh table",
	"json": "thresh minify", "compact": "thresh minify", "min": "thresh minify", "http": "thresh serve",
	"server": "thresh serve", "httpd": "thresh serve", "nginx": "thresh serve", "caddy": "thresh serve",
	"proxy": "thresh relay", "socat": "thresh relay", "tunnel": "thresh relay", "forward": "thresh relay",
	"bench": "thresh limits", "benchmark": "thresh limits", "speed": "thresh limits", "limit": "thresh limits",
	"wipe": "thresh blank, which only reads", "erase": "thresh blank, which only reads",
	"time": "thresh wall", "perf": "thresh wall", "profile": "thresh wall", "why": "thresh wall",
	"hyperfine": "thresh wall --compare",
	"zero":      "thresh blank, which only reads", "lint": "thresh vet", "version": "thresh --version",
}
