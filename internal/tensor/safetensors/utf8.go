package safetensors

import (
	"errors"
	"io"
	"unicode/utf8"
)

// utf8Reader reads a header and checks that it is UTF-8, as JSON must be. Names that are not would become others.
type utf8Reader struct {
	r    io.Reader
	off  int64  // of rest in the file
	rest []byte // the beginning of a character
	err  error  // the header is not UTF-8
}

var errUTF8 = errors.New("it is not UTF-8")

func (u *utf8Reader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	text := append(u.rest, p[:n]...)
	for u.err == nil && len(text) > 0 && (utf8.FullRune(text) || err == io.EOF) {
		c, size := utf8.DecodeRune(text)
		if c == utf8.RuneError && size == 1 {
			u.err = fail(u.off, errUTF8)
		}
		u.off, text = u.off+int64(size), text[size:]
	}
	u.rest = append([]byte(nil), text...)
	return n, err
}
