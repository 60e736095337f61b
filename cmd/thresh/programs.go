package main

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/input/decompress"
)

// isInput reports whether the first argument of the program names an input and not what to do. Commands, and words of
// other programs that have an answer here, come before files of these names: ./tail is the file.
func isInput(name string) bool {
	if isCommand(name) || slices.Contains(known, name) || programs()[strings.ToLower(name)] != "" {
		return false
	}
	exists := func(name string) bool { _, err := os.Stat(name); return name != "" && err == nil }
	return name == "-" || exists(name) || thresh.IsRemote(name) ||
		slices.ContainsFunc(decompress.SplitMember(name), func(pair [2]string) bool { return exists(pair[0]) })
}

// programs are names of other programs, and words that people bring from elsewhere, with what does their work here, as
// command.Suggest takes it. They are made when they are asked for, as few runs do.
var programs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// Text.
		"wc": "thresh count --lines --words", "lines": "thresh count --lines", "words": "thresh count --words",
		"nl": "thresh grep -n ''", "search": "thresh grep for lines, or thresh find for offsets", "rg": "thresh grep",
		"ripgrep": "thresh grep", "ag": "thresh grep", "ack": "thresh grep", "egrep": "thresh grep",
		"fgrep": "thresh grep -F", "zgrep": "thresh grep", "match": "thresh grep",
		"filter": "thresh grep for lines, or thresh sql", "locate": "thresh find", "strings": "thresh find --regex",
		"tail": follow, "follow": follow, "watch": follow, "head": begins,
		"cat": begins, "less": begins,
		"more":   begins,
		"sed":    "thresh changes no text; thresh grep finds the lines.",
		"zcat":   unpacks,
		"gunzip": unpacks,
		// Bytes.
		"diff": compares, "compare": "thresh cmp",
		"xxd":       dumps,
		"hexdump":   dumps,
		"od":        dumps,
		"sha256sum": digests,
		"md5sum":    digests, "du": "thresh count --lines, or du for bytes",
		"wipe": "thresh blank, which only reads", "erase": "thresh blank, which only reads",
		"zero": "thresh blank, which only reads", "shred": "thresh blank, which only reads",
		// Numbers and tables.
		"sum": "thresh count --stats, or thresh table --agg 'sum(COLUMN)'", "stats": "thresh count --stats",
		"stat": "thresh count --stats", "histogram": "thresh count --histogram", "hist": "thresh count --histogram",
		"csv": "thresh sql, or thresh table", "query": "thresh sql", "select": "thresh sql", "from": "thresh sql",
		"with": "thresh sql", "duckdb": "thresh sql", "sqlite3": "thresh sql", "psql": "thresh sql",
		"clickhouse-local": "thresh sql", "describe": preview, "schema": preview, "columns": preview,
		"summary": preview, "info": preview, "file": preview, "show": preview,
		"nan": "thresh find --nan", "inf": "thresh find --inf", "convert": writes, "export": writes, "copy": writes,
		"parquet": writes,
		"import":  "nothing is loaded: thresh sql names the files.",
		"where":   "thresh find, or thresh table --where", "group": "thresh table --group", "top": "thresh table --top",
		"sort": `thresh sql "from 'FILE' order by COLUMN"`,
		"uniq": keys, "unique": keys, "distinct": keys, "dedup": keys, "dedupe": keys, "freq": "thresh table --top",
		"sample": "thresh table --sample", "shuf": "thresh table --sample", "awk": "thresh table",
		"cut": "thresh table --select", "mlr": "thresh table", "xsv": "thresh table", "qsv": "thresh table",
		"xan": "thresh table", "join": `thresh sql "from 'A' a join 'B' b on a.KEY = b.KEY"`,
		// JSON.
		"jq":   `thresh minify for smaller JSON, or thresh sql "select a.b from 'FILE'"`,
		"json": "thresh minify", "compact": "thresh minify",
		"min": "thresh minify", "pretty": indents,
		"format": indents,
		// Servers.
		"http": "thresh serve", "http.server": "thresh serve", "file-server": "thresh serve", "server": "thresh serve",
		"httpd": "thresh serve", "nginx": "thresh serve",
		"caddy": "thresh serve", "proxy": "thresh relay", "socat": "thresh relay", "tunnel": "thresh relay",
		"forward": "thresh relay", "nc": "thresh relay",
		"curl": fetches,
		"wget": fetches,
		// Measuring.
		"bench": "thresh limits", "benchmark": "thresh limits", "speed": "thresh limits", "limit": "thresh limits",
		"fio": "thresh limits", "time": "thresh wall", "perf": "thresh wall", "strace": "thresh wall",
		"profile": "thresh wall", "why": "thresh wall", "hyperfine": "thresh wall --compare", "lint": "thresh vet",
		"version": "thresh --version",
	}
})

const (
	begins   = "thresh FILE, which shows how a file begins"
	compares = "thresh cmp A B says whether two files are the same; diff shows lines."
	digests  = "thresh has no digests; sha256sum does that."
	dumps    = "thresh find --hex PATTERN -C 64, with the bytes around it"
	fetches  = "thresh grep PATTERN https://HOST/FILE, which reads objects where they lie"
	follow   = "tail -F FILE | thresh grep PATTERN follows a file; thresh FILE shows how it begins."
	indents  = "jq . FILE indents JSON; thresh minify takes the indentation away."
	keys     = "thresh table FILE --group COLUMN, or --top 10:COLUMN"
	preview  = "thresh FILE, which shows what is in it"
	writes   = `thresh sql "from 'FILE'" -o FILE.parquet`
	unpacks  = "compressed files are read as they are, by every command."
)
