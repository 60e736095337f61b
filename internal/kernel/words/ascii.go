//go:build amd64 || arm64

package words

// wordBytes is how many bytes a vector variant handles at once.
const wordBytes = 64

// stride is a walk by 64 bytes. The step of a vector variant loads the fields it needs, continues
// over ASCII, and stores the fields. It stops at 64 bytes that are not all ASCII, or before the last
// bytes, so its loop contains no call.
type stride struct {
	at      int    // of the next bytes
	outside uint64 // 1 if they begin outside a word, otherwise 0
	lines   int
	words   int
}

// begin returns a walk from the given state.
func begin(inside bool) stride {
	if inside {
		return stride{}
	}
	return stride{outside: 1}
}

// rest continues over the 64 bytes at which a step has stopped, or all bytes after the last 64, and
// reports whether more follow. From is where the step began.
func (k *stride) rest(b []byte, from int, w *Walk) (more bool) {
	w.Chars += int64(k.at - from)
	end := len(b)
	if more = end-k.at > wordBytes; more {
		end = k.at + wordBytes
		end += Boundary(b[end:])
	}
	w.Inside = k.outside == 0
	w.chars(b[k.at:end], printable())
	*k = stride{at: end, outside: begin(w.Inside).outside, lines: k.lines, words: k.words}
	return more
}

// done adds what the steps have counted.
func (k *stride) done(w *Walk) Walk {
	w.Lines += int64(k.lines)
	w.Words += int64(k.words)
	return *w
}
