package versus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// A situation is what a person does: questions in a row about files that lie in a certain way. The
// same sequence runs with `thresh` as it is (auto) and with each engine forced, and the question is
// whether auto was wrong. Single questions cannot tell: a way that reads past the page cache may win
// the first one and lose the sequence.
type situation struct {
	name  string
	bytes int64 // of the files together, before scaling; 0: small, not scaled
	exact int64 // bytes that are not scaled with --size
	files int   // 0: one
	text  func() (text, error)
	lie   lie
	shm   bool // in memory, on tmpfs
	full  bool // only with --full

	limit  limits
	beside []string // a child of this program that runs meanwhile

	asks  []query
	peers []rival
}

// query is one question.
type query struct {
	name   string
	thresh []string                            // arguments before the input
	status int                                 // exit status for the right answer
	want   func(c *corpus) (string, error)     // a plain loop; nil: what auto answers first
	answer func(stdout string) (string, error) // nil: all of it, trimmed
	output bool                                // writes to a file, whose content is the answer
}

// rival is another program that is asked the same questions.
type rival struct {
	name, tool string
	steps      func(b *matrix, c *corpus) ([]contender, error) // one for each question
}

// way is a way of running thresh: the flags that force it.
type way struct {
	name  string
	flags []string
}

const auto = "auto"

// ways are tried in this order in each round.
var ways = []way{
	{auto, nil},
	{"pread", []string{"--engine", "pread"}},
	{"mmap", []string{"--engine", "mmap"}},
	{"uring", []string{"--engine", "uring"}},
	{"auto, keep", []string{"--cache", "keep"}},
	{"auto, neutral", []string{"--cache", "neutral"}},
}

// forced returns the ways that auto is compared with. The cache rule matters only for bytes that
// are not in the page cache when the sequence begins.
func (s *situation) forced() []way {
	if s.lie.stays() {
		return ways[1:4]
	}
	return ways[1:]
}

// side is a way or a peer, with its samples.
type side struct {
	name  string
	steps []contender
	peer  bool

	totals []float64   // seconds of the sequence, by round
	cpu    []float64   // processor seconds of the sequence, by round
	laps   [][]float64 // seconds, by question and round
	after  []float64   // cached part of the input after each question, in the last round
	not    string      // why it cannot run here
}

// matrix is the run of a situation.
type matrix struct {
	lab.Comparison
	memory  string            // a folder in memory
	answers map[string]string // by situation and question
}

const (
	// A round that takes less time than this says little: there are so many times more of them.
	roundLeast = time.Second
	roundsMore = 3
	// memoryLeast is the least memory that a program of a situation gets, however small the input.
	memoryLeast = 64 << 20
)

// roundsAfter returns how many rounds there are if the first one took that long.
func roundsAfter(asked int, first time.Duration) int {
	if first < roundLeast {
		return asked * roundsMore
	}
	return asked
}

// of returns the limits for an input of so many bytes.
func (l limits) of(bytes int64) limits {
	if l.memory > 0 {
		l.bytes = max(int64(l.memory*float64(bytes)), memoryLeast)
	}
	return l
}

// measure runs a situation. In each round all sides take their turn.
func (b *matrix) measure(ctx context.Context, s *situation) (row *lab.Situation, err error) {
	c, err := b.lay(s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.remove()) }()
	g, what, err := newGroup(s.limit.of(c.bytes))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.remove()) }()
	sides, err := b.sides(s, c, g)
	if err != nil {
		return nil, err
	}
	stop, err := b.startBeside(ctx, s.beside)
	if err != nil {
		return nil, err
	}
	before, rounds, start := 0.0, b.Rounds, time.Now()
	for round := 0; round < rounds; round++ {
		if round == 1 {
			rounds = roundsAfter(rounds, time.Since(start))
		}
		fmt.Fprintf(b.Log, "  round %d of %d\n", round+1, rounds)
		for _, side := range sides {
			if side.not != "" {
				continue
			}
			if before, err = c.arrange(); err == nil {
				err = side.sample(ctx, c)
			}
			if err != nil {
				return nil, errors.Join(err, stop())
			}
		}
	}
	if err := stop(); err != nil {
		return nil, err
	}
	row, err = newSituation(s, c, sides)
	if err != nil {
		return nil, err
	}
	row.Before, row.Limit = before, what
	return row, nil
}

// sides returns the ways and peers of a situation. A forced engine that is refused here is kept,
// with the reason, and not measured.
func (b *matrix) sides(s *situation, c *corpus, g *group) ([]*side, error) {
	var sides []*side
	for _, w := range append([]way{ways[0]}, s.forced()...) {
		v := &side{name: w.name}
		for _, q := range s.asks {
			step, err := b.step(s, c, q, w)
			if err != nil {
				return nil, err
			}
			v.steps = append(v.steps, step)
		}
		sides = append(sides, v)
	}
	for _, p := range s.peers {
		v := &side{name: p.name, peer: true}
		if missing := peer.Missing(p.tool); p.tool != "" && missing != "" {
			v.not = missing + " is not installed"
			sides = append(sides, v)
			continue
		}
		steps, err := p.steps(b, c)
		if err != nil {
			v.not = err.Error()
		} else if len(steps) != len(s.asks) {
			return nil, fmt.Errorf("%s: %d questions for %s, not %d", s.name, len(steps), p.name, len(s.asks))
		}
		v.steps = steps
		sides = append(sides, v)
	}
	for _, v := range sides {
		for i := range v.steps {
			v.steps[i].args = g.wrap(v.steps[i].args)
		}
		v.laps = make([][]float64, len(v.steps))
	}
	return sides, nil
}

// step returns a question as a command, with the answer that it must give.
func (b *matrix) step(s *situation, c *corpus, q query, w way) (contender, error) {
	args := append([]string{b.Thresh}, q.thresh...)
	args = append(args, w.flags...)
	if s.files > 0 {
		args = append(args, "-r", c.folder)
	} else {
		args = append(args, c.files[0].Name)
	}
	step := contender{name: s.name + ", " + w.name + ", " + q.name, status: q.status, answer: q.answer}
	if q.output {
		out := c.output()
		args = append(args, "-o", out)
		step.answer = func(string) (string, error) { return fileSum(out) }
		step.before = func() error { return removeIfThere(out) }
	}
	step.args = args
	if q.want != nil {
		want, err := q.want(c)
		if err != nil {
			return step, err
		}
		step.want = want
		return step, nil
	}
	step.answer = b.agree(s.name+", "+q.name, step.answer)
	return step, nil
}

// agree returns a function that compares an answer with the first one that any side gave to the
// question, and returns "" if they agree.
func (b *matrix) agree(question string, answer func(string) (string, error)) func(string) (string, error) {
	return func(stdout string) (string, error) {
		got := strings.TrimSpace(stdout)
		if answer != nil {
			var err error
			if got, err = answer(stdout); err != nil {
				return "", err
			}
		}
		if first, ok := b.answers[question]; ok && got != first {
			return "", fmt.Errorf("answers differ: %q, and another way %q", peer.FirstLine(got), peer.FirstLine(first))
		}
		b.answers[question] = got
		return "", nil
	}
}

// sample runs the sequence once.
func (v *side) sample(ctx context.Context, c *corpus) error {
	total, cpu := 0.0, 0.0
	var after []float64
	for i := range v.steps {
		step := &v.steps[i]
		if step.before != nil {
			if err := step.before(); err != nil {
				return err
			}
		}
		o, err := step.exec(ctx)
		if err != nil && strings.Contains(o.Stderr, "engine "+v.name+" cannot read") && len(v.totals) == 0 {
			v.not = peer.FirstLine(o.Stderr)
			return nil
		}
		if err != nil {
			return err
		}
		seconds := o.Seconds
		if step.rate != nil { // a peer that times itself; it returns questions per second
			rate, err := step.rate(o)
			if err != nil {
				return err
			}
			seconds = 1 / rate
		}
		v.laps[i] = append(v.laps[i], seconds)
		total += seconds
		cpu += o.CPUSeconds()
		part, err := c.cached()
		if err != nil {
			return err
		}
		after = append(after, part)
	}
	v.totals, v.cpu, v.after = append(v.totals, total), append(v.cpu, cpu), after
	return nil
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// measureBytes is the size for which situations are written down; --size scales them.
const measureBytes = 1_000_000_000

// what says what is asked about what.
func (s *situation) what() string {
	var asks []string
	for _, q := range s.asks {
		asks = append(asks, q.name)
	}
	input := s.lie.String()
	if s.shm {
		input = "tmpfs"
	}
	if s.files > 0 {
		input = fmt.Sprintf("%d files, %s", s.files, input)
	}
	return input + ": " + strings.Join(asks, ", ")
}

// newSituation summarizes the samples. The first side is auto.
func newSituation(s *situation, c *corpus, sides []*side) (*lab.Situation, error) {
	r := &lab.Situation{Lie: s.lie.String(), Bytes: c.bytes, Files: len(c.files), Beside: strings.Join(s.beside, " ")}
	if s.shm {
		r.Lie = "tmpfs"
	}
	for _, q := range s.asks {
		r.Asks = append(r.Asks, q.name)
	}
	if sides[0].not != "" {
		return nil, errors.New(sides[0].not)
	}
	var best *side
	for _, v := range sides[1:] {
		if v.not == "" && !v.peer && (best == nil || lab.Summarize(v.totals).Median < lab.Summarize(best.totals).Median) {
			best = v
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: no forced way can run here", s.name)
	}
	for _, v := range sides {
		way := lab.Way{Name: v.name, Peer: v.peer, Not: v.not}
		if v.not == "" {
			way.Total, way.CPU, way.After = lab.Summarize(v.totals), lab.Summarize(v.cpu), v.after
			for _, lap := range v.laps {
				way.Laps = append(way.Laps, lab.Summarize(lap))
			}
		}
		if v.not == "" && v.peer {
			ratio := lab.Summarize(quantile.Ratios(sides[0].totals, v.totals))
			way.Ratio = &ratio
		}
		r.Ways = append(r.Ways, way)
	}
	r.Best = best.name
	r.Ratio = lab.Summarize(quantile.Ratios(sides[0].totals, best.totals))
	r.Least = slices.Min(sides[0].totals) / slices.Min(best.totals)
	r.CPU = lab.Summarize(sides[0].cpu).Median / max(lab.Summarize(best.cpu).Median, 1e-9)
	return r, nil
}
