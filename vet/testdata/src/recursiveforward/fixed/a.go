package fixed

import "io"

type w struct{ io.Writer }

func (w *w) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(w, r) // want `hide the method`
}

type s struct{ io.Reader }

func (s s) WriteTo(w io.Writer) (int64, error) {
	var src io.Reader = s
	return io.Copy(w, src) // want `hide the method`
}
