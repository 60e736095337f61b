package zerocopy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// An advice changes a copy as a reason recommends. The changed copy must take a path.
type advice struct {
	ends     func(*stage, io.Writer, io.Reader) (io.Writer, io.Reader)
	copy     bool                                              // by zerocopy.Copy
	response func(responseCase, column) (responseCase, column) // for HTTP
}

// same leaves the ends as they are, for zerocopy.Copy.
func same(_ *stage, dst io.Writer, src io.Reader) (io.Writer, io.Reader) { return dst, src }

// hooksOfListener is the advice to use NewListener, as the column Copy does.
func hooksOfListener(c responseCase, _ column) (responseCase, column) {
	c.under = nil
	return c, ours
}

func handledBy(h func(*stage) http.Handler) func(responseCase, column) (responseCase, column) {
	return func(c responseCase, col column) (responseCase, column) {
		c.handler = h
		return c, col
	}
}

// insideReader returns what the readers of the cases hide.
func insideReader(r io.Reader) io.Reader {
	switch v := r.(type) {
	case struct{ io.Reader }:
		return v.Reader
	case struct{ net.Conn }:
		return v.Conn
	}
	return nil
}

// insideWriter returns what the writers of the cases hide.
func insideWriter(w io.Writer) io.Writer {
	switch v := w.(type) {
	case *zerocopy.Conn:
		return insideWriter(v.NetConn())
	case struct{ io.Writer }:
		return v.Writer
	case struct{ net.Conn }:
		return v.Conn
	}
	return nil
}

// advices lists all that the reasons recommend, in their order.
var advices = map[string][]advice{
	"reasonReader": {
		{ends: func(_ *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
			return w, forwardsWriteTo{insideReader(r)}
		}},
		{ends: func(s *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) { return w, s.reader(insideReader(r)) }},
	},
	"reasonWriter": {
		{ends: func(_ *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
			return forwardsReadFrom{insideWriter(w)}, r
		}},
		{ends: func(s *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
			return zerocopy.NewWriter(insideWriter(w), s.counting()), r
		}},
		{ends: func(s *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
			return s.conn(insideWriter(w).(net.Conn)), r
		}},
	},
	"reasonLimited": {{ends: func(_ *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
		return w, forwardsWriteTo{limit(r.(*io.LimitedReader).R.(forwardsWriteTo).r)}
	}}},
	"reasonAppend": {{ends: func(s *stage, _ io.Writer, r io.Reader) (io.Writer, io.Reader) {
		f := s.target(0)
		must(f.Seek(0, io.SeekEnd))
		return f, r
	}}},
	"reasonNested": {
		{ends: same, copy: true},
		{ends: func(_ *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
			outer := r.(*io.LimitedReader)
			existing := outer.R.(*io.LimitedReader)
			existing.N = min(existing.N, outer.N)
			return w, existing
		}},
	},
	"reasonUnknownToStd": {
		{ends: same, copy: true},
		{ends: func(s *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) { return s.conn(w.(net.Conn)), r }},
	},
	"reasonSection": {
		{ends: same, copy: true},
		{ends: func(_ *stage, w io.Writer, r io.Reader) (io.Writer, io.Reader) {
			f, off, n := r.(*io.SectionReader).Outer()
			return w, zerocopy.NewSection(f.(*os.File), off, n, nil)
		}},
	},
	"reasonUnix":     {{ends: same, copy: true}},
	"reasonBuffered": {{ends: flushed}},
	"reasonTimeoutHandler": {
		{response: handledBy(decideIOCopy(true, func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
			if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
				panic(err)
			}
			return w
		}))},
		{response: handledBy(decideIOCopy(true, func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
			return zerocopy.NewResponseWriter(w, r, zerocopy.WriteTimeout(http.NewResponseController(w), time.Minute))
		}))},
	},
	"reasonChunked":       {{response: handledBy(decideIOCopy(true, nil))}},
	"reasonUnknownToHTTP": {{response: hooksOfListener}},
	"reasonResponse": {
		{response: handledBy(decideIOCopy(true, func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
			return embedsFull{w}
		}))},
		{response: handledBy(lending(func(w http.ResponseWriter) http.ResponseWriter { return embedsMore{w} }))},
	},
	"reasonNoUnwrap": {
		{response: handledBy(decideIOCopy(true, func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
			return embedsFull{w}
		}))},
		{response: handledBy(lending(func(w http.ResponseWriter) http.ResponseWriter { return embedsMore{w} }))},
	},
}

// bufferedCase has a reason with advice that no copy of the table has.
var bufferedCase = endsCase{"bufio.Writer(tcp) with bytes in it <- file", func(s *stage) (io.Writer, io.Reader) {
	return s.buffered(), s.file()
}}

func (s *stage) buffered() io.Writer {
	w := bufio.NewWriter(s.tcp())
	must(w.Write([]byte("header")))
	return w
}

// flushed follows the advice to flush.
func flushed(_ *stage, dst io.Writer, src io.Reader) (io.Writer, io.Reader) {
	if err := dst.(*bufio.Writer).Flush(); err != nil {
		panic(err)
	}
	return dst, src
}

// advised calls do with each advice of the reason with that text.
func advised(text string, do func(name string, number int, a advice)) {
	if text == "" {
		return
	}
	for name, format := range must(zerocopy.Reasons()) {
		if zerocopy.ReasonPattern(format).MatchString(text) {
			for i, a := range advices[name] {
				do(name, i+1, a)
			}
		}
	}
}

// follow is the copy of a case, changed.
func (a advice) follow(c endsCase, col column) copying {
	changed := endsCase{c.name, func(s *stage) (io.Writer, io.Reader) {
		dst, src := c.ends(s)
		return a.ends(s, dst, src)
	}}
	if a.copy {
		col = ours
	}
	return changed.with(col)
}

// checkAdvice checks that each advice of each reason was followed by a copy, and that the other reasons
// give none.
func checkAdvice(t *testing.T, followed map[string][]int) {
	t.Helper()
	for name, format := range must(zerocopy.Reasons()) {
		_, recommends, _ := strings.Cut(format, ": ")
		// "use a, or b": each "or" begins another advice.
		number := 0
		if recommends != "" {
			number = 1 + strings.Count(recommends, " or ")
		}
		if len(advices[name]) != number {
			t.Errorf("%s recommends %q: %d advices, not %d", name, recommends, len(advices[name]), number)
		}
		for i := range number {
			if !slices.Contains(followed[name], i+1) {
				t.Errorf("%s: no copy follows advice %d of %q", name, i+1, recommends)
			}
		}
		for _, verb := range []string{"use ", "set ", "give ", "wrap ", "make ", "put "} {
			if number == 0 && strings.Contains(format, verb) && !strings.Contains(format, "package uses ") {
				t.Errorf("%s recommends something, and not after a colon: %q", name, format)
			}
		}
	}
}
