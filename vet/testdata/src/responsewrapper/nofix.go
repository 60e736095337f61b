package responsewrapper

import (
	"log"
	"net/http"
)

// Each Write here has something that a ReadFrom can't take over mechanically.

type blank struct{ http.ResponseWriter } // want `^blank hides ReadFrom .* or use zerocopy.NewResponseWriter`

func (b blank) Write(p []byte) (int, error) {
	_, err := b.ResponseWriter.Write(p)
	return len(p), err
}

type sliced struct{ http.ResponseWriter } // want `^sliced hides ReadFrom .* or use zerocopy.NewResponseWriter`

func (s sliced) Write(p []byte) (total int, err error) {
	for len(p) > 0 && err == nil {
		var n int
		n, err = s.ResponseWriter.Write(p[:min(len(p), 1<<14)])
		p = p[n:]
		total += n
	}
	return total, err
}

type logging struct{ http.ResponseWriter } // want `^logging hides ReadFrom .* or use zerocopy.NewResponseWriter`

func (l logging) Write(p []byte) (int, error) {
	log.Print(len(p))
	return l.ResponseWriter.Write(p)
}

type reporting struct { // want `^reporting hides ReadFrom .* or use zerocopy.NewResponseWriter`
	http.ResponseWriter
	report func(int64)
}

func (r reporting) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.report(int64(n))
	return n, err
}

type different struct{ http.ResponseWriter } // want `^different hides ReadFrom .* or use zerocopy.NewResponseWriter`

func (d different) Write(p []byte) (int, error) {
	n, err := d.ResponseWriter.Write(p)
	return max(n, 0), err
}

type names struct { // want `^names hides ReadFrom .* or use zerocopy.NewResponseWriter`
	http.ResponseWriter
	total int
}

func (w *names) Write(src []byte) (int, error) {
	io := len(src)
	w.total += io
	return w.ResponseWriter.Write(src)
}

type indexed struct { // want `^indexed hides ReadFrom .* or use zerocopy.NewResponseWriter`
	http.ResponseWriter
	n named
}

type named int

func (i *indexed) Write(p []byte) (int, error) {
	n, err := i.ResponseWriter.Write(p)
	i.n += named(n)
	if n < len(p) {
		log.Print("short")
	}
	return n, err
}

func noFix(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(blank{w}, r)
	next.ServeHTTP(sliced{w}, r)
	next.ServeHTTP(logging{w}, r)
	next.ServeHTTP(reporting{ResponseWriter: w}, r)
	next.ServeHTTP(different{w}, r)
	next.ServeHTTP(&names{ResponseWriter: w}, r)
	next.ServeHTTP(&indexed{ResponseWriter: w}, r)
}
