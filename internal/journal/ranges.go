package journal

// Span is a range of an input, or of two that are compared. Why says why it could not be read, and is empty for one
// that is not as it should be. Input is 1 or 2 if that one of two inputs could not be read.
type Span struct {
	Off   int64  `json:"offset"`
	Len   int64  `json:"length"`
	Why   string `json:"error,omitempty"`
	Input int    `json:"input,omitempty"`
}

func (s Span) end() int64 { return s.Off + s.Len }

// follows reports whether s continues the range before. Ranges of whole sectors may overlap by one, where a piece ended
// within it.
func (s Span) follows(before Span) bool {
	return s.Off <= before.end() && s.Off >= before.Off && before.Why == s.Why && before.Input == s.Input
}

// Ranges counts ranges in ascending order, none of which continues the one before it, and lists the
// first of them. So it takes little memory, however many there are.
type Ranges struct {
	Count int64  `json:"count"`
	Bytes int64  `json:"bytes"`
	List  []Span `json:"list,omitempty"` // the first ones; at least one of any
	Last  Span   `json:"last,omitzero"`  // of all, not only of those in List
}

// Unlisted returns how many ranges are not in the list.
func (r Ranges) Unlisted() int64 { return r.Count - int64(len(r.List)) }

// Cut shortens the last range to what lies before an offset, after which no other begins.
func (r *Ranges) Cut(end int64) {
	after := max(r.Last.end()-end, 0)
	if r.Unlisted() == 0 && after > 0 {
		r.List[len(r.List)-1].Len -= after
	}
	r.Last.Len, r.Bytes = r.Last.Len-after, r.Bytes-after
}

// Add adds a range after all others.
func (r *Ranges) Add(s Span, limit int) {
	r.Join(Ranges{Count: 1, Bytes: s.Len, List: []Span{s}, Last: s}, limit)
}

// Join adds the ranges of what follows. The first of them may continue the last one here; the list
// stays the beginning of all ranges, at most limit of them.
func (r *Ranges) Join(next Ranges, limit int) {
	if next.Count == 0 {
		return
	}
	all := r.Unlisted() == 0
	rest := next.List
	if first := next.List[0]; r.Count > 0 && first.follows(r.Last) {
		longer := max(first.end()-r.Last.end(), 0)
		r.Bytes -= first.Len - longer
		r.Last.Len += longer
		if all {
			r.List[len(r.List)-1].Len += longer
		}
		r.Count--
		rest = rest[1:]
		if next.Count > 1 {
			r.Last = next.Last
		}
	} else {
		r.Last = next.Last
	}
	r.Count += next.Count
	r.Bytes += next.Bytes
	if room := limit - len(r.List); all && room > 0 {
		r.List = append(r.List, rest[:min(room, len(rest))]...)
	}
}
