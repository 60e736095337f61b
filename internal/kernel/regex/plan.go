package regex

import (
	"bytes"
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// mode is how candidates are found before an automaton examines them.
type mode uint8

const (
	modeWhole   mode = iota // no candidates: one automaton over the whole text
	modeLiteral             // the expression is a literal: its occurrences are the matches
	modePrefix              // every match begins at a place that the finder finds
	modeInner               // every match lies in a line in which the finder finds a place
	modeSweep               // four automatons find the lines that have matches
	modeRunes               // the rune machine reads everything
	modeNever               // there is no match
)

type plan struct {
	mode   mode
	finder finder // of modeLiteral and modePrefix
	// The finders of modeInner, the most promising first. modeInner is the fallback if modePrefix
	// turns out badly.
	inners []finder
}

// Candidates must be rarer than one in this many bytes to be worth their cost: that of a call and a
// few transitions, or that of an automaton over a line of text.
const (
	minPrefixGapBytes = 48
	minInnerGapBytes  = 512
	// If a literal within the match is this much rarer than how the match begins, it saves more
	// candidates than searching its line costs.
	minRarer = 1000
	// At most this many literals within a match are worth trying.
	innersMax = 4
	// A pair is tried if it is estimated to be at most as common as one in this many bytes.
	minPairGapBytes = 10
)

// planFor returns the plan that promises the fewest and cheapest candidates. The searcher finds out
// whether they are as rare in the actual text as in most data.
func planFor(tree *syntax.Regexp, n *nfa) plan {
	switch {
	case n == nil:
		return plan{mode: modeRunes}
	case n.neverHit:
		return plan{mode: modeNever}
	case n.nullable:
		return plan{mode: modeWhole}
	}
	lits := literalsOf(tree)
	if lits.exact {
		return plan{mode: modeLiteral, finder: newLiteralFinder(lits.prefix)}
	}
	var inners []finder
	innerRate := 1.0
	for i, s := range lits.rarest(innersMax) {
		inners = append(inners, newLiteralFinder(s))
		if i == 0 {
			innerRate = literalRate(s)
		}
	}
	rareInner := innerRate*minInnerGapBytes < 1
	pair, pairRate := bestPair(n)
	prefixRate := literalRate(lits.prefix)
	switch {
	case rareInner && innerRate*minRarer < min(prefixRate, pairRate):
		return plan{mode: modeInner, inners: inners}
	case prefixRate <= pairRate && prefixRate*minPrefixGapBytes < 1:
		return plan{modePrefix, newLiteralFinder(lits.prefix), inners}
	case pairRate*minPairGapBytes < 1:
		return plan{modePrefix, pair, inners}
	case rareInner:
		return plan{mode: modeInner, inners: inners}
	}
	return plan{mode: modeSweep, inners: inners}
}

// pointer returns the finder of places where a match may begin, nil if there is none.
func (p *plan) pointer() *finder {
	if p.mode != modeLiteral && p.mode != modePrefix {
		return nil
	}
	return &p.finder
}

func (p plan) kernel() string {
	switch p.mode {
	case modeLiteral:
		return p.finder.name()
	case modePrefix:
		return p.finder.name() + " + dfa"
	case modeInner:
		return p.inners[0].name() + " + dfa"
	case modeRunes:
		return "runes"
	}
	return "dfa"
}

// literals are strings that every match contains. prefix begins it, suffix ends it, and all are
// those anywhere in it. exact means that prefix is the whole match.
type literals struct {
	exact          bool
	prefix, suffix []byte
	all            [][]byte
}

// literalsOf returns the literals of an expression; empty ones carry no information.
func literalsOf(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return literals{exact: true}
	case syntax.OpLiteral:
		return literalRunes(re)
	case syntax.OpCharClass:
		if len(re.Rune) == 2 && re.Rune[0] == re.Rune[1] {
			return literalRunes(&syntax.Regexp{Op: syntax.OpLiteral, Rune: re.Rune[:1]})
		}
	case syntax.OpCapture:
		return literalsOf(re.Sub[0])
	case syntax.OpPlus:
		l := literalsOf(re.Sub[0])
		l.exact = false
		return l
	case syntax.OpConcat:
		return literalsOfConcat(re.Sub)
	}
	return literals{}
}

func literalRunes(re *syntax.Regexp) literals {
	var s []byte
	for _, r := range re.Rune {
		// U+FFFD also matches malformed bytes.
		if re.Flags&syntax.FoldCase != 0 || r == utf8.RuneError {
			return literals{}
		}
		s = utf8.AppendRune(s, r)
	}
	return literals{true, s, s, [][]byte{s}}
}

func literalsOfConcat(subs []*syntax.Regexp) literals {
	all := literals{exact: true}
	var run []byte // the literal that ends at the current place
	for _, sub := range subs {
		l := literalsOf(sub)
		run = append(run[:len(run):len(run)], l.prefix...)
		if all.exact {
			all.prefix = run
		}
		if !l.exact {
			all.exact = false
			all.all = append(append(all.all, l.all...), run)
			run = l.suffix
		}
	}
	all.suffix = run
	all.all = append(all.all, run)
	return all
}

// rarest returns the rarest of the literals, at most limit, rarest first.
func (l literals) rarest(limit int) [][]byte {
	out := slices.DeleteFunc(l.all, func(s []byte) bool { return len(s) == 0 })
	slices.SortStableFunc(out, func(a, b []byte) int { return cmp.Compare(literalRate(a), literalRate(b)) })
	out = slices.CompactFunc(out, bytes.Equal)
	return out[:min(len(out), limit)]
}

// commonness estimates how many out of a thousand bytes of logs, tables and program text are this
// one.
func commonness(b byte) float64 {
	switch {
	case b == ' ':
		return 120
	case b == 0:
		return 40 // rare in text, but common in sparse and binary files
	case b >= '0' && b <= '9', strings.IndexByte("etaoinsr", b) >= 0:
		return 30
	case b >= 'a' && b <= 'z', b == '.', b == ',', b == '-', b == '/', b == ':', b == '=', b == '"':
		return 15
	case b >= 'A' && b <= 'Z', b == '_', b == '(', b == ')':
		return 6
	}
	return 2
}

// literalRate estimates at what share of the places in a text a literal begins. Letters of a word
// are not independent, so the later ones count less.
func literalRate(s []byte) float64 {
	rate := 1.0
	for i, b := range s {
		p := commonness(b) / 1000
		if i > 1 {
			p = max(p, 0.1)
		}
		rate *= p
	}
	return rate
}

// maxOffset is the largest distance from the start of a match of the two bytes of a pair.
const maxOffset = 7

// bestPair returns the finder of the two fixed places of a match whose bytes are rarest together,
// and the rate of its candidates.
func bestPair(n *nfa) (finder, float64) {
	sets := n.byteSets(maxOffset + 1)
	if len(sets) == 0 || inRune(&sets[0]) {
		return finder{}, 1
	}
	rates := make([]float64, len(sets))
	for i := range sets {
		for b := range 256 {
			if sets[i][b] {
				rates[i] += commonness(byte(b)) / 1000
			}
		}
	}
	first, second, best := 0, 0, rates[0]
	for i := range sets {
		for j := range i {
			if r := rates[i] * rates[j]; r < best {
				first, second, best = j, i, r
			}
		}
	}
	return newPairFinder(first, &sets[first], second, &sets[second]), min(best, 1)
}

// inRune reports whether a byte of the set may lie within a rune, where no match begins.
func inRune(set *[256]bool) bool { return slices.Contains(set[0x80:0xC0], true) }

// byteSets returns which bytes may be at the first places of a match. It covers as many places as
// every match has, at most limit.
func (n *nfa) byteSets(limit int) [][256]bool {
	var sets [][256]bool
	at := newThreadSet(len(n.nodes))
	at.add(n.start)
	for len(sets) < limit {
		var set [256]bool
		next := newThreadSet(len(n.nodes))
		malformed := false
		for i := 0; i < len(at.dense); i++ {
			nd := &n.nodes[at.dense[i]]
			for _, to := range []int32{nd.out, nd.alt} {
				if (nd.op == opSplit || nd.op == opAssert) && to >= 0 && !at.has(to) {
					at.add(to)
				}
			}
			if nd.op == opMatch {
				return sets
			}
			for _, e := range nd.edges {
				for b := int(e.lo); b <= int(e.hi); b++ {
					set[b] = true
				}
				malformed = malformed || e.to == quit
				if e.to >= 0 && !next.has(e.to) {
					next.add(e.to)
				}
			}
		}
		sets = append(sets, set)
		if malformed {
			return sets // the program does not say what follows a malformed byte
		}
		at = next
	}
	return sets
}
