package jsontext

// nest is the brackets that are open, outermost first, a bit each: 1 is a brace.
type nest struct {
	words []uint64
	n     int
}

func (s *nest) push(curly uint64) {
	i := s.n / 64
	if i == len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[i] = s.words[i]&^(1<<(s.n%64)) | curly<<(s.n%64)
	s.n++
}

// at returns a bracket, counted from the outermost.
func (s *nest) at(i int) (curly uint64) { return s.words[i/64] >> (i % 64) & 1 }

// top returns the innermost bracket; there must be one.
func (s *nest) top() (curly uint64) { return s.at(s.n - 1) }
