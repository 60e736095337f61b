package grep

import (
	"bytes"
	"sync"

	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
)

// tallies says how each pattern is counted: texts by the set that finds all of them in one pass,
// expressions one by one in the cache.
type tallies struct {
	limits
	patterns int
	sets     []talliedSet
	exprs    []talliedExpr
	same     []int // for each pattern, the one under which it is counted
}

type talliedSet struct {
	*literals.Set
	index []int // by id: the pattern
}

type talliedExpr struct {
	*regex.Regex
	words *wordSpans // nil without -w
	index int
}

// tallyBytes bounds the state tables of one expression of many.
const tallyBytes = 1 << 20

// newTallies prepares to count each pattern.
func (q *Query) newTallies(items []item) (*tallies, error) {
	t := &tallies{limits: q.limits(), patterns: len(items), same: make([]int, len(items))}
	var lists [2][]literals.Literal
	var index [2][]int
	for i, it := range items {
		t.same[i] = i
		if it.literal && it.text != "" {
			kind := 0
			if it.fold {
				kind = 1
			}
			lists[kind] = append(lists[kind], literals.Literal{Value: []byte(it.text)})
			index[kind] = append(index[kind], i)
			continue
		}
		re, err := regex.Compile(t.expr(it.expr()))
		if err != nil {
			return nil, err
		}
		e := talliedExpr{re, nil, i}
		if t.word {
			if e.words, err = newWordSpans(it.expr()); err != nil {
				return nil, err
			}
		}
		t.exprs = append(t.exprs, e)
	}
	for kind, list := range lists {
		if len(list) == 0 {
			continue
		}
		set, ids, err := literals.CompileEvery(list, kind == 1)
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			t.same[index[kind][i]] = index[kind][id]
		}
		t.sets = append(t.sets, talliedSet{set, index[kind]})
	}
	return t, nil
}

// newEach returns what makes the tally of a worker.
func (q *Query) newEach(items []item) func() (*tally, error) {
	plan := sync.OnceValues(func() (*tallies, error) { return q.newTallies(items) })
	return func() (*tally, error) {
		t, err := plan()
		if err != nil {
			return nil, err
		}
		w := &tally{tallies: t, counts: make([]int64, t.patterns)}
		for i := range t.exprs {
			w.searchers = append(w.searchers, t.exprs[i].SmallSearcher(tallyBytes))
		}
		return w, nil
	}
}

// tally counts how often each pattern occurs, for one worker. Occurrences of one pattern do not overlap;
// those of different patterns may.
type tally struct {
	*tallies
	searchers []*regex.Searcher
	counts    []int64 // committed
	spans     [][2]int
}

// counted is what was counted in one text.
type counted struct {
	now     []int64 // by pattern
	ends    []int   // by pattern: behind its last occurrence
	touched []int   // patterns with entries in now and ends
}

// count counts in whole lines, and replaces what was counted before. It appends to lost the parts of lines in
// which it could not count all matches of an expression.
func (t *tally) count(c *counted, data []byte, lost [][2]int) [][2]int {
	if c.now == nil {
		c.now, c.ends = make([]int64, t.patterns), make([]int, t.patterns)
	}
	c.reset()
	for _, s := range t.sets {
		s.Every(data, len(data), func(at, n, id int) bool {
			i := s.index[id]
			if at >= c.ends[i] && (!t.any() || t.allowIn(data, at, at+n)) {
				c.add(i, 1)
				c.ends[i] = at + n
			}
			return true
		})
	}
	for i, e := range t.exprs {
		if e.words == nil {
			c.add(e.index, t.searchers[i].Count(data))
			lost = append(lost, t.searchers[i].Lost()...)
		} else {
			c.add(e.index, t.words(expression{t.searchers[i], e.words, e.MatchesEmptyLine()}, data))
		}
	}
	return lost
}

// words counts the matches that are words.
func (t *tally) words(m expression, data []byte) (n int64) {
	m.lines(data, func(at int) int {
		start, end := bytes.LastIndexByte(data[:at], '\n')+1, len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i
		}
		t.spans = m.spans(data[start:end], t.spans[:0])
		n += int64(len(t.spans))
		return end
	})
	return n
}

func (c *counted) add(i int, n int64) {
	if c.now[i] == 0 {
		c.touched = append(c.touched, i)
	}
	c.now[i] += n
}

func (c *counted) reset() {
	for _, i := range c.touched {
		c.now[i], c.ends[i] = 0, 0
	}
	c.touched = c.touched[:0]
}

// commit adds what was counted.
func (t *tally) commit(c *counted) {
	for _, i := range c.touched {
		t.counts[i] += c.now[i]
	}
	c.reset()
}

// addTo adds the counts to those of all workers.
func (t *tally) addTo(counts []int64) {
	for i, same := range t.same {
		counts[i] += t.counts[same]
	}
}
