package versus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
)

// Rounds of the experiment, and the size of its files.
const (
	scalingRounds = 5
	scalingBytes  = 500_000_000
	// orderCostMost is what many workers on two processors may take, of the time of two workers.
	orderCostMost = 1.15
)

// scalingQuestion is a question about a file. All but the first keep an order between workers.
type scalingQuestion struct {
	name string
	args []string // the file comes last
	file string
	make func(w io.Writer, bytes int64) error
}

var scalingQuestions = []scalingQuestion{
	{"lines", []string{"count", "--lines"}, "app.log", makeLog},
	{"rows", []string{"table", "--rows"}, "orders.csv", makeOrders},
	{"numbers", []string{"grep", "-n", "ERROR"}, "app.log", makeLog},
	{"keys", []string{"table", "--group", "1", "--agg", "count", "--sort", "count", "--limit", "5"}, "keys.csv",
		func(w io.Writer, bytes int64) error { return gen.Keys(w, bytes/20, max(1, bytes/400), tableSeed) }},
	{"minify", []string{"minify", "-o", os.DevNull}, "array.json",
		func(w io.Writer, bytes int64) error { return gen.JSON(w, bytes, tableSeed) }},
	{"json-lines", []string{"table", "--rows"}, "lines.ndjson",
		func(w io.Writer, bytes int64) error { return gen.NDJSON(w, bytes, tableSeed) }},
}

func makeLog(w io.Writer, bytes int64) error    { return gen.Log(w, bytes, logSeed) }
func makeOrders(w io.Writer, bytes int64) error { return gen.Orders(w, bytes, tableSeed) }

// scaling is a comparison for each question: all processors beside one, and many workers on two processors
// beside two.
func scaling() *lab.Experiment {
	e := aside("scaling", "what would more processors bring?", scalingBytes, lab.Method{Runs: scalingRounds,
		Text: "GOMAXPROCS sets the workers; what is serial follows from the speedup, by Karp and Flatt."}, "ratio")
	for _, q := range scalingQuestions {
		e.Variants = append(e.Variants, lab.Variant{
			ID: "scaling/" + q.name, What: strings.Join(q.args, " "), Product: true,
			Compare: func(ctx context.Context, given lab.Comparison) (lab.Compared, error) {
				return compareCase(ctx, given, benchCase{name: q.name, run: func(b *bench) { b.scale(q) }})
			},
		})
	}
	return e
}

// scale measures a question.
func (b *bench) scale(q scalingQuestion) {
	file := b.rows("scaling-"+strconv.FormatInt(b.Bytes, 10)+"-"+q.file, b.Bytes,
		func(w io.Writer) error { return q.make(w, b.Bytes) })
	args := append(q.args[:len(q.args):len(q.args)], file.Path())
	all := b.thresh("", args...)
	all.answer = fingerprint
	all.want = try(fingerprint(b.answers(all)))
	with := func(name string, processors int, pinned bool) contender {
		c := all.as(name, lab.Target{}, "")
		c.env = []string{"GOMAXPROCS=" + strconv.Itoa(processors)}
		if pinned && b.workers > 2 {
			c.args = append([]string{"taskset", "-c", "0,1"}, c.args...)
		}
		return c
	}
	st := warmState(file)
	sides := []contender{all, with("one worker", 1, false),
		with("two workers", 2, true), with("16 workers", 16, true), with("64 workers", 64, true)}
	rates := b.measure(st, b.Bytes, sides...)

	row := beside(lab.TimesItsRate, sides[1], rates[0], rates[1])
	row.Spent = b.spent(st, all)
	row.Note = serialNote(row.Number.Median, b.workers, row.Parts)
	b.add(row)
	for i, workers := range []int{16, 64} {
		two := sides[2]
		two.target, two.name = lab.AtMost(orderCostMost), fmt.Sprintf("two workers; here %d", workers)
		b.add(beside(lab.TimesItsTime, two, rates[3+i], rates[2]))
	}
}

// fingerprint is an answer of many lines in few bytes.
func fingerprint(stdout string) (string, error) {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(stdout))), nil
}

// serialNote says what of one worker's time is serial, and what that bounds on more processors. All that keeps
// processors from helping counts as serial, memory too; what the receipt knows of it is beside it.
func serialNote(speedup float64, processors int, parts []lab.Part) string {
	if processors < 2 {
		return "serial: one processor shows nothing"
	}
	serial := serialShare(speedup, processors)
	const text = "serial: %.1f %% of one worker's time, so at most %.1f times its rate on 16 processors, %.1f on 64"
	note := fmt.Sprintf(text, 100*serial, amdahl(serial, 16), amdahl(serial, 64))
	for _, p := range parts {
		switch p.Name {
		case "order between workers", "merging and printing", "starting and ending", "memory":
			note += fmt.Sprintf("; %s %.1f %%", p.Name, 100*p.Share)
		}
	}
	return note
}

// serialShare is the metric of Karp and Flatt: the share of the time that does not shrink with more processors.
func serialShare(speedup float64, processors int) float64 {
	n := float64(processors)
	return min(max((1/speedup-1/n)/(1-1/n), 0), 1)
}

// amdahl is the speedup that a serial share leaves on so many processors.
func amdahl(serial float64, processors int) float64 {
	return 1 / (serial + (1-serial)/float64(processors))
}
