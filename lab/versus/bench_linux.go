package versus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// bench is the run of a case. A case ends at its first error, as a test does: check and try panic with it, and
// ended returns it.
type bench struct {
	lab.Comparison
	ctx      context.Context
	name     string // of the case
	workers  int
	data     *data
	compared lab.Compared
}

// failed is the error that ends a case.
type failed struct{ error }

func check(err error) {
	if err != nil {
		panic(failed{err})
	}
}

func try[T any](v T, err error) T {
	check(err)
	return v
}

// ended returns the error that ended do.
func ended(do func()) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case failed:
			err = cause.error
		default:
			panic(cause)
		}
	}()
	do()
	return nil
}

// compareCase runs a case.
func compareCase(ctx context.Context, given lab.Comparison, c benchCase) (lab.Compared, error) {
	given.Bytes &^= 7 // the haystack has whole words
	b := &bench{Comparison: given, ctx: ctx, name: c.name, workers: runtime.NumCPU(), data: &data{folder: given.Folder}}
	err := os.MkdirAll(b.Folder, 0o755)
	if err == nil {
		err = ended(func() { c.run(b) })
	}
	return b.compared, errors.Join(err, b.data.close())
}

// skip says why a part of a case is not compared.
func (b *bench) skip(why string) {
	b.compared.Missing = append(b.compared.Missing, why)
	b.logf("  %s", why)
}

func (b *bench) logf(format string, args ...any) { fmt.Fprintf(b.Log, format+"\n", args...) }

// contender is one side of a comparison: a command and its expected answer.
type contender struct {
	name   string
	args   []string // including the program
	env    []string // in addition to the bench's own
	status int      // exit status for the right answer

	// answer extracts the answer from standard output; nil means all of it, trimmed.
	answer func(stdout string) (string, error)
	want   string

	// rate returns the rate that the program reports, in bytes per second; nil means the bytes of
	// the comparison divided by the time of the process from start to end.
	rate func(o peer.Output) (float64, error)

	before func() error // called right before each sample; may be nil

	repeat int        // processes per sample; 0 means one
	target lab.Target // for thresh against this contender
	note   string
}

// silent is the answer of a contender that prints none: it checks what it does itself.
func silent(string) (string, error) { return "", nil }

// exec runs the command and checks its answer.
func (c *contender) exec(ctx context.Context) (peer.Output, error) {
	o, err := peer.Exec(ctx, c.env, c.args...)
	if err != nil {
		return o, fmt.Errorf("%s: %w", c.name, err)
	}
	return o, c.check(o)
}

// check returns an error unless the process ended with the right status and the right answer.
func (c *contender) check(o peer.Output) error {
	if o.Status != c.status {
		return fmt.Errorf("%s: exit status %d, want %d: %s", c.name, o.Status, c.status, peer.FirstLine(o.Stderr))
	}
	got, err := strings.TrimSpace(o.Stdout), error(nil)
	if c.answer != nil {
		got, err = c.answer(o.Stdout)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if got != c.want {
		return fmt.Errorf("%s: wrong answer %q, want %q", c.name, peer.FirstLine(got), c.want)
	}
	return nil
}

// sample runs the contender on that many bytes and returns its rate, in bytes per second.
func (c *contender) sample(ctx context.Context, bytes int64) (float64, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return 0, err
		}
	}
	runs := max(1, c.repeat)
	total := 0.0
	for range runs {
		o, err := c.exec(ctx)
		if err != nil {
			return 0, err
		}
		if c.rate != nil {
			return c.rate(o)
		}
		total += o.Seconds
	}
	return float64(bytes) * float64(runs) / total, nil
}

// answers returns what a contender prints, whatever it is.
func (b *bench) answers(c contender) string {
	printed := ""
	c.answer = func(stdout string) (string, error) {
		printed = stdout
		return c.want, nil
	}
	try(c.exec(b.ctx))
	return printed
}

// state is the state of the machine in which a sample must be taken.
type state struct {
	before func() error // establishes the state
	after  func() error // returns pagecache.ErrLost if the state was lost meanwhile; nil means no check
}

// anyState is the state for a case without files.
var anyState = state{before: func() error { return nil }}

// warmState is the state of files that were read once, in order, and stay in the page cache. At first
// a file is dropped from the cache: pages that random reads or a mapping brought in are in smaller
// folios, and cost a mapping many more page faults.
func warmState(files ...*pagecache.File) state {
	laid := false
	return state{
		before: func() error {
			first := !laid
			laid = true
			return eachFile(files, func(f *pagecache.File) error {
				if first {
					if err := f.Cold(); err != nil {
						return err
					}
				}
				return f.Warm()
			})
		},
		after: func() error { return eachFile(files, (*pagecache.File).StillWarm) },
	}
}

func coldState(files ...*pagecache.File) state {
	return state{before: func() error { return eachFile(files, (*pagecache.File).Cold) }}
}

// eachFile calls do for the files in turn.
func eachFile(files []*pagecache.File, do func(*pagecache.File) error) error {
	for _, f := range files {
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// measure takes samples in turn for the rounds of the bench, and one round more as warm-up. It returns the rates by
// contender and round.
func (b *bench) measure(st state, bytes int64, sides ...contender) [][]float64 {
	debug.FreeOSMemory() // this process must be small while others are measured
	samples := 0
	return try(quantile.Turns(len(sides), b.Rounds, func(side int) (float64, error) {
		if samples%len(sides) == 0 {
			b.logf("  round %d of %d", samples/len(sides), b.Rounds)
		}
		samples++
		return sampleIn(b.ctx, st, bytes, &sides[side])
	}))
}

// triesMost is how often a sample is tried whose file did not stay in its state.
const triesMost = 3

// sampleIn takes a sample in the state. If the state was lost during the sample, it takes another one.
func sampleIn(ctx context.Context, st state, bytes int64, c *contender) (float64, error) {
	for try := 1; ; try++ {
		if err := st.before(); err != nil {
			return 0, err
		}
		rate, err := c.sample(ctx, bytes)
		if err == nil && st.after != nil {
			err = st.after()
		}
		if err == nil || !errors.Is(err, pagecache.ErrLost) || try == triesMost {
			return rate, err
		}
	}
}

// compare measures the sides. The first one is thresh; each other one gets a row.
func (b *bench) compare(st state, bytes int64, sides ...contender) {
	rates := b.measure(st, bytes, sides...)
	spent := b.spent(st, sides[0])
	for i, peer := range sides[1:] {
		r := beside(lab.TimesItsRate, peer, rates[0], rates[i+1])
		r.Spent = spent
		b.add(r)
	}
}

// compareCPU measures sides whose rate is bytes per processor time. The first side is thresh; each
// other one gets a row.
func (b *bench) compareCPU(st state, bytes int64, sides ...contender) {
	rates := b.measure(st, bytes, sides...)
	perGiB := func(i int) string { return fmt.Sprintf("%.3f s", (1<<30)/median(rates[i])) }
	for i, peer := range sides[1:] {
		note := fmt.Sprintf("%s of processor a GiB, %s %s", perGiB(0), peer.name, perGiB(i+1))
		peer.note = strings.TrimSuffix(note+"; "+peer.note, "; ")
		b.add(beside(lab.TimesItsCPU, peer, rates[0], rates[i+1]))
	}
}

// beside returns how our rates stand to those of a peer, round by round. Times and costs are the inverses of rates.
func beside(what string, peer contender, ours, theirs []float64) lab.Row {
	r := lab.Row{Peer: peer.name, What: what, Target: peer.target, Note: peer.note}
	if r.MoreIsBetter() {
		r.Number = lab.Summarize(quantile.Ratios(ours, theirs))
	} else {
		r.Number = lab.Summarize(quantile.Ratios(theirs, ours))
	}
	if what == lab.TimesItsRate {
		r.ThreshRate, r.PeerRate = median(ours)/1e9, median(theirs)/1e9
	}
	return r
}

// add adds a row of the case.
func (b *bench) add(r lab.Row) {
	r.Case = b.name
	b.compared.Rows = append(b.compared.Rows, r)
}

func median(values []float64) float64 { return lab.Summarize(values).Median }

// spent runs thresh once more, now with a receipt, and returns where the time went. The samples run
// without one, because a receipt costs a little.
func (b *bench) spent(st state, c contender) lab.Spent {
	check(st.before())
	c.args = append(append([]string{}, c.args...), "--receipt=json")
	r := try(parseReceipt(try(c.exec(b.ctx)).Stderr))
	return lab.Spent{Wall: r.Verdict, Parts: r.Parts}
}

// thresh returns thresh with these arguments as a contender, which must print want.
func (b *bench) thresh(want any, args ...string) contender {
	return contender{name: "thresh", args: append([]string{b.Thresh}, args...), want: fmt.Sprint(want)}
}

// child returns this program as a contender that runs as a child process.
func (b *bench) child(name string, want any, work ...any) contender {
	args := []string{b.Self, childCommand}
	for _, word := range work {
		args = append(args, fmt.Sprint(word))
	}
	return contender{name: name, args: args, want: fmt.Sprint(want)}
}

// silentChild is a child that prints no answer.
func (b *bench) silentChild(name string, work ...any) contender {
	c := b.child(name, "", work...)
	c.answer = silent
	return c
}

// as renames a contender, and gives it a target and a note.
func (c contender) as(name string, target lab.Target, note string) contender {
	c.name, c.target, c.note = name, target, note
	return c
}

// byReceipt is the rate by thresh's own clock, which starts when the file is open.
func byReceipt(o peer.Output) (float64, error) {
	r, err := parseReceipt(o.Stderr)
	return float64(r.Bytes+r.Skipped) / r.Seconds, err
}
