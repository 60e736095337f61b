package ndjson

import (
	"math/bits"
	stdutf8 "unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
)

// Kind is what a value is.
type Kind uint8

// The kinds of values. Missing is no value: null, or none.
const (
	Missing Kind = iota
	Plain        // a number, true, false, an object or an array, as it is written
	String       // a string, whose bytes are its value
	Escaped      // a string with escapes; see Unescape
)

// Value is a value: the bytes [From, To) of the text, of a string those between its quotes.
type Value struct {
	From, To uint32
	Kind     Kind
}

// Locator finds the values of one line after the other. It is for one goroutine.
type Locator struct {
	// Values holds the values of the last line, by slot.
	Values []Value

	root   *node
	places []*node // by slot
	scan   jsonscan.StringsFunc
	valid  utf8.Kernel

	text     []byte
	ends     []jsonscan.End // of the strings in the text
	marked   bool           // they are those of all strings in the text
	controls bool           // there may be control characters in strings
	wide     bool           // some lines are not UTF-8
	skimmer  skimmer
	pace     pace

	line      int   // number of the line, from 1
	top       shape // of the lines
	shapes    int   // how many there are below it
	unescaped []byte

	failedAt int
	reason   string
}

// New returns a locator of some columns of p. The slot of a column is its index in wanted.
func New(p *Paths, wanted []int) *Locator {
	root, places := p.tree(wanted)
	l := &Locator{Values: make([]Value, len(wanted)), root: root, places: places,
		scan: jsonscan.BestStrings().Func, valid: utf8.Best()}
	l.pace.always = undecided
	l.skimmer.scan = jsonscan.BestLines().Func
	l.skimmer.grammar.deepest = min(root.height(), maxNesting-1)
	return l
}

// Begin sets the text in which lines lie.
func (l *Locator) Begin(text []byte) {
	l.text, l.marked, l.controls, l.wide = text, false, false, false
	words := (len(text) + jsonscan.BlockBytes - 1) / jsonscan.BlockBytes
	if cap(l.ends) < words+slackWords {
		l.ends = make([]jsonscan.End, words+slackWords)
	}
	l.ends = l.ends[:words+slackWords]
	clear(l.ends[words:])
	l.skimmer.proven = 0
	if l.allSeen() && l.pace.skims(len(text)) {
		l.skim()
	}
	if l.skimmer.proven == 0 || len(l.skimmer.declined) > 0 {
		l.mark()
	}
}

// Feeds stores the line feeds in the text, a bit for each byte.
func (l *Locator) Feeds(words []uint64) {
	for i := range words {
		words[i] = l.ends[i].Feeds
	}
}

// allSeen reports whether all wanted columns were seen. Until then all keys of lines are remembered: when a column is
// in no line at all, they are what it may be mistaken for.
func (l *Locator) allSeen() bool {
	s := &l.skimmer
	if !s.seen {
		for _, n := range l.places {
			if n.line == 0 {
				return false
			}
		}
		s.seen = true
	}
	return s.seen
}

// mark finds the quotes and escapes in the text.
func (l *Locator) mark() {
	text, carry := l.text, uint64(0)
	l.marked, l.wide = true, false
	for at := 0; at < len(text); at += pieceBytes {
		piece := text[at:min(at+pieceBytes, len(text))]
		whole := len(piece) / jsonscan.BlockBytes * jsonscan.BlockBytes
		carry = l.strings(piece[:whole], at/jsonscan.BlockBytes, carry)
		if whole < len(piece) {
			var last [jsonscan.BlockBytes]byte
			for i := copy(last[:], piece[whole:]); i < len(last); i++ {
				last[i] = ' '
			}
			carry = l.strings(last[:], (at+whole)/jsonscan.BlockBytes, carry)
		}
	}
	l.wide = l.wide && !l.valid.Valid(text[:utf8.Whole(text)])
}

// pieceBytes bounds the bytes of a call of a kernel, which the scheduler cannot interrupt.
const pieceBytes = 256 << 10

// slackWords is how many words the masks have behind those of the text: str looks at two.
const slackWords = 2

// strings finds the quotes and escapes in whole blocks, the first of which has an index.
func (l *Locator) strings(b []byte, first int, carry uint64) (next uint64) {
	next, found := l.scan(b, l.ends[first:], carry)
	l.controls = l.controls || found.Invalid
	l.wide = l.wide || found.NonASCII
	return next
}

// Lines returns how many lines were read.
func (l *Locator) Lines() int { return l.line }

// Seen reports whether any line had a value, or null, in a slot.
func (l *Locator) Seen(slot int) bool { return l.places[slot].line > 0 }

// next returns the place of the first quote, or escaped byte, in [at, end), or end if there is none.
func (l *Locator) next(at, end int, escaped bool) int {
	for word := at >> 6; word<<6 < end; word++ {
		bit := l.ends[word].Quotes
		if escaped {
			bit = l.ends[word].Escaped
		}
		if word == at>>6 {
			bit = bit >> (at & 63) << (at & 63)
		}
		if bit != 0 {
			return min(word<<6+bits.TrailingZeros64(bit), end)
		}
	}
	return end
}

// IsBlank reports whether a line is white space.
func IsBlank(line []byte) bool { return spaces(line, 0) == len(line) }

// Line finds the values in the line [from, to) of the text, which is not blank. If the line is no object of JSON,
// it returns the place and the reason; no value is then found.
func (l *Locator) Line(from, to int) (at int, reason string) {
	clear(l.Values)
	l.reason = ""
	l.line++
	text := l.text[:to]
	if l.skimmer.isProven(from, to) {
		l.pick(text, from)
		at = to
	} else {
		at = l.walk(text, from)
	}
	if l.reason == "" && l.wide {
		l.checkUTF8(text, from)
	}
	if l.reason != "" {
		clear(l.Values)
		return l.failedAt, l.reason
	}
	return at, ""
}

// walk reads a line token by token.
func (l *Locator) walk(text []byte, from int) (at int) {
	if !l.marked { // the last line lacks a line feed
		l.mark()
	}
	if at = spaces(text, from); at == len(text) || text[at] != '{' {
		if at < len(text) && text[at] == '[' {
			return l.fail(at, "an array, no object of JSON (jq -c '.[]' makes a line of each object in it)")
		}
		return l.fail(at, "no object of JSON")
	}
	if at = l.object(text, at, l.root, &l.top, 1); at < 0 {
		return failed
	}
	if at = spaces(text, at); at < len(text) {
		return l.fail(at, "more than one value")
	}
	return at
}

// checkUTF8 checks the bytes of a line.
func (l *Locator) checkUTF8(text []byte, from int) {
	for ; from < len(text); from++ {
		if text[from] >= stdutf8.RuneSelf {
			r, n := stdutf8.DecodeRune(text[from:])
			if r == stdutf8.RuneError && n == 1 {
				l.fail(from, "a byte that is not UTF-8")
				return
			}
			from += n - 1
		}
	}
}

// The functions below read from a place of the text, which ends with the line, and return the place behind what
// they have read. The place is not kept in the Locator, because a processor waits longer for memory than for a
// register. If there is a fault, they return failed.
const failed = -1

// fail records the first fault.
func (l *Locator) fail(at int, reason string) int {
	if l.reason == "" {
		l.failedAt, l.reason = at, reason
	}
	return failed
}

// spaces skips white space, which is rare.
func spaces(text []byte, at int) int {
	if uint(at) < uint(len(text)) && text[at] <= ' ' {
		return moreSpaces(text, at)
	}
	return at
}

func moreSpaces(text []byte, at int) int {
	for at < len(text) {
		if c := text[at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			break
		}
		at++
	}
	return at
}

// peek returns the byte at a place, 0 at the end of the line.
func peek(text []byte, at int) byte {
	if uint(at) < uint(len(text)) {
		return text[at]
	}
	return 0
}

// depthMax is how deep values may be nested.
const depthMax = 10_000

// value reads a value. n is its place in the tree, nil if it is not wanted. s leads to what it looked like last, nil if
// that is not remembered.
func (l *Locator) value(text []byte, at int, n *node, s **shape, depth int) int {
	from, kind := at, Plain
	switch peek(text, at) {
	case '{':
		at = l.object(text, at, n, l.shape(s), depth+1)
	case '[':
		at = l.array(text, at, n, s, depth+1)
	default:
		at, kind = l.scalar(text, at)
	}
	if n != nil && at >= 0 && len(n.slots) > 0 {
		v := Value{uint32(from), uint32(at), kind}
		if kind >= String {
			v.From, v.To = v.From+1, v.To-1
		}
		for _, slot := range n.slots {
			l.Values[slot] = v
		}
	}
	return at
}

// forget drops the values below a place: a key that occurs again replaces them.
func (l *Locator) forget(n *node) {
	for _, slot := range n.slots {
		l.Values[slot] = Value{}
	}
	for i := range n.steps {
		l.forget(n.steps[i].to)
	}
}

func (l *Locator) object(text []byte, at int, n *node, s *shape, depth int) int {
	if depth > depthMax {
		return l.fail(at, "nested too deep")
	}
	if n != nil && len(n.steps) == 0 {
		n = nil
	}
	at++
	whole := l.text
	for nth, first := 0, true; ; nth, first = nth+1, false {
		var p *pair
		if s != nil && nth < len(s.pairs) {
			p = &s.pairs[nth]
			if at+16 > len(whole) || !p.stands(whole[at:at+16:at+16]) || p.parent != n || p.first != first || p.bytes > 16 {
				p, nth = s.find(text, at, n, nth, first)
			}
		}
		var to *node
		var inside **shape
		if p != nil {
			at += p.bytes
			to, inside = p.to, &p.inside
		} else {
			from := at
			if at = spaces(text, at); peek(text, at) == '}' {
				return at + 1
			}
			if !first {
				if peek(text, at) != ',' {
					return l.fail(at, "a comma or } is missing")
				}
				at = spaces(text, at+1)
			}
			if at, to = l.key(text, at, n); at < 0 {
				return failed
			}
			if p = s.remember(nth, pair{text: text[from:at], parent: n, first: first, to: to}); p != nil {
				inside = &p.inside
			} else {
				nth--
			}
		}
		if to == nil && uint(at) < uint(len(text)) && text[at]|0x20 != '{' && text[at] > ' ' { // most values
			if text[at] == '"' && at+readAhead <= len(whole) && !l.controls {
				quotes, escaped := l.ahead(at + 1)
				if end := at + 1 + bits.TrailingZeros64(quotes); quotes != 0 && escaped&(quotes-1) == 0 && end < len(text) {
					at = end + 1
					continue
				}
			}
			if at, _ = l.scalar(text, at); at < 0 {
				return failed
			}
			continue
		}
		if to != nil {
			if to.line == l.line { // the key occurs again
				l.forget(to)
			}
			to.line = l.line
		}
		if at = l.value(text, spaces(text, at), to, inside, depth); at < 0 { // there may be more white space than last time
			return failed
		}
	}
}

// key reads a key, its colon and the white space behind it. It returns the node behind the key, nil if no path leads
// there.
func (l *Locator) key(text []byte, at int, n *node) (behind int, to *node) {
	from := at
	if peek(text, at) != '"' {
		return l.fail(at, "a key is missing"), nil
	}
	at, escaped := l.str(text, at)
	if at < 0 {
		return failed, nil
	}
	if n != nil {
		key := text[from+1 : at-1]
		if escaped {
			l.unescaped = Unescape(l.unescaped[:0], key)
			key = l.unescaped
		}
		to = n.byKey(key)
	}
	if at = spaces(text, at); peek(text, at) != ':' {
		return l.fail(at, "a colon is missing"), nil
	}
	return spaces(text, at+1), to
}

// array reads an array.
func (l *Locator) array(text []byte, at int, n *node, s **shape, depth int) int {
	if depth > depthMax {
		return l.fail(at, "nested too deep")
	}
	if at = spaces(text, at+1); peek(text, at) == ']' {
		return at + 1
	}
	var elements **shape
	if c := peek(text, at); c == '{' || c == '[' {
		if s := l.shape(s); s != nil {
			elements = &s.elements
		}
	}
	for i := 0; ; i++ {
		var to *node
		if n != nil {
			if to = n.byIndex(i); to != nil {
				to.line = l.line
			}
		}
		if to == nil && uint(at) < uint(len(text)) && text[at]|0x20 != '{' {
			if at, _ = l.scalar(text, at); at < 0 {
				return failed
			}
		} else if at = l.value(text, at, to, elements, depth); at < 0 {
			return failed
		}
		at = spaces(text, at)
		switch peek(text, at) {
		case ',':
			at = spaces(text, at+1)
		case ']':
			return at + 1
		default:
			return l.fail(at, "a comma or ] is missing")
		}
	}
}
