package fields

import "bytes"

// Expect checks whether all records of the text, which begins with a record, have this number of fields. Then Ends
// need not look at each of them, and is faster. It changes no result.
//
// A kernel that compresses the places of separators compresses the separators themselves as well. If all records have
// n fields, they are n-1 delimiters and a line feed, again and again.
func (c *Chunk) Expect(fields int) {
	if !c.wide || c.MasksOnly || fields > wordBytes {
		return
	}
	kinds := c.kinds[:c.Before[c.words]]
	if len(kinds) < fields {
		return
	}
	if p := &c.pattern; p.fields != fields || p.delim != c.delim {
		p.set(fields, c.delim)
	}
	phase := 0 // separators of a record that came before
	for rest := kinds; len(rest) > 0; {
		n := min(len(rest), patternBytes)
		if !bytes.Equal(rest[:n], c.pattern.kinds[phase:][:n]) {
			return
		}
		phase = (phase + n) % fields
		rest = rest[n:]
	}
	c.fields, c.ending = fields, len(kinds)/fields
}

// patternBytes is how many separators are compared at once.
const patternBytes = 1024

// pattern is the separators of records with the same number of fields.
type pattern struct {
	fields int
	delim  byte
	kinds  [patternBytes + wordBytes]byte // from any separator of a record on
}

func (p *pattern) set(fields int, delim byte) {
	p.fields, p.delim = fields, delim
	for i := range p.kinds {
		p.kinds[i] = delim
		if i%fields == fields-1 {
			p.kinds[i] = '\n'
		}
	}
}
