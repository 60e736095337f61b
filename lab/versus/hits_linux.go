package versus

import (
	_ "embed" // the questions
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/gen"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

//go:embed hits.sql
var hitsSQL string

// hitsBytes are about a million rows, for a haystack of 4 GiB.
const hitsBytes = 550e6

// hitQuestion is a statement about the table t, which both thresh and DuckDB answer.
type hitQuestion struct{ name, sql string }

// hitQuestions returns the questions of hits.sql.
func hitQuestions() (all []hitQuestion) {
	var sums []string
	for i := range 90 {
		sums = append(sums, fmt.Sprintf("sum(width + %d)", i))
	}
	for line := range strings.Lines(hitsSQL) {
		if name, sql, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(name, "--") {
			all = append(all, hitQuestion{name, strings.ReplaceAll(sql, "{sums}", strings.Join(sums, ", "))})
		}
	}
	return all
}

// tableHits asks all questions, about quoted text or text with tabs, and reports the geometric mean of the ratios.
func tableHits(delim byte) func(b *bench) {
	return func(b *bench) {
		python, err := python("duckdb")
		if err != nil {
			b.skip(err.Error())
			return
		}
		size := b.scaled(hitsBytes)
		file := b.rows(fmt.Sprintf("hits-%d-%d", size, delim), size, func(w io.Writer) error {
			return gen.Hits(w, size, tableSeed, delim)
		})
		defer os.Remove(file.Name) // no other case needs it
		sum, from, questions, name := 0.0, len(b.compared.Rows), hitQuestions(), b.name
		for _, q := range questions {
			b.name = name + ": " + q.name
			if err := ended(func() { b.compare(warmState(file), file.Bytes, q.sides(b, python, file, delim)...) }); err != nil {
				check(fmt.Errorf("%s: %w", q.name, err))
			}
		}
		b.name = name
		for _, r := range b.compared.Rows[from:] {
			sum += math.Log(r.Number.Median)
		}
		mean := math.Exp(sum / float64(len(questions)))
		b.add(lab.Row{
			Peer: "DuckDB", What: lab.TimesItsRate, Target: lab.AtLeast(6),
			Number: lab.Summary{Median: mean, Low: mean, High: mean, Rounds: b.Rounds},
			Note:   fmt.Sprintf("geometric mean of %d questions", len(questions)),
		})
	}
}

// sides returns both contenders. DuckDB's answer, asked once, is the one that both must give.
func (q hitQuestion) sides(b *bench, python string, file *pagecache.File, delim byte) []contender {
	table := peer.Table{Path: file.Name, Columns: columns(gen.HitsColumns()...), Delim: string(delim),
		Quoted: delim != '\t', Header: true}
	duck := contender{name: "DuckDB", args: try(table.Query(python, "duckdb", b.workers, q.sql)),
		rate: ownClock(file.Bytes), target: lab.AtLeast(2)}
	want := try(peerCells(b.answers(duck)))
	duck.answer = want.fromPeer
	quote := ""
	if table.Quoted {
		quote = `"`
	}
	from := fmt.Sprintf("FROM read_csv('%s', delim = '%c', quote = '%s', header = true) AS t", file.Name, delim, quote)
	mine := b.thresh("", "sql", "--format", "csv", strings.ReplaceAll(q.sql, "FROM t", from))
	mine.answer = want.fromThresh
	return []contender{mine, duck}
}
