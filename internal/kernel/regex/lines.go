package regex

// NextLine returns the end of a match in the next line that has one, -1 if there is none or Stop is
// true. The search goes on behind that line. It reads less than Next: where a match begins does not
// matter, and neither do further matches of the line. Do not call Next for the same text.
func (s *Searcher) NextLine() (end int) {
	s.endOnly = true
	_, end = s.Next()
	s.endOnly = false
	if end >= 0 && !s.skipLine(end) {
		s.giveUp()
		return -1
	}
	return end
}

// skipLine moves the search behind the line in which a match ends; false if it was told to stop. An
// empty match at the end of a line has moved it there already.
func (s *Searcher) skipLine(end int) bool {
	lineEnd, ok := s.endOfLine(s.b[:s.hi], end)
	if !ok {
		return false
	}
	s.inLine, s.found, s.foundAt = false, s.found[:0], 0
	s.pos, s.prevEnd = max(s.pos, lineEnd+1), -1
	return true
}
