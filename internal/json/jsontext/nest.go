package jsontext

// nest is a stack of open brackets, outermost first, one bit each: 1 is a brace.
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

// at returns the bracket at a depth; the outermost is 0.
func (s *nest) at(i int) (curly uint64) { return s.words[i/64] >> (i % 64) & 1 }

// top returns the innermost bracket. The stack must not be empty.
func (s *nest) top() (curly uint64) { return s.at(s.n - 1) }
