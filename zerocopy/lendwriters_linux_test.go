package zerocopy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"sync"
)

// inner is a response of another package: it has Unwrap and no ReadFrom.
type inner struct{ http.ResponseWriter }

func (i inner) Unwrap() http.ResponseWriter { return i.ResponseWriter }

// Writers as middleware has them, and what they note for themselves.
type (
	countingWriter struct {
		inner
		status, writes int
		size           int64
	}
	hashingWriter struct {
		inner
		sum hash.Hash
	}
	teeingWriter struct {
		inner
		copy bytes.Buffer
	}
	gzipWriter struct {
		inner
		z *gzip.Writer
	}
	bufferingWriter struct {
		inner
		b *bufio.Writer
	}
	piecesWriter   struct{ inner }
	copyingWriter  struct{ inner } // passes on a copy
	changingWriter struct {        // changes what follows so many bytes
		inner
		same int
	}
	skippingWriter struct { // passes on the first buffer, and of later ones all but the beginning
		inner
		writes, largest int
		all             bool // later ones are copied
	}
	shortWriter struct { // fails after so many bytes
		inner
		room int
	}
	elsewhereWriter struct{ inner } // writes from another goroutine
	panickingWriter struct {
		inner
		after int
	}
)

func (w *countingWriter) WriteHeader(status int) {
	w.status = status
	w.inner.WriteHeader(status)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.inner.Write(p)
	w.size += int64(n)
	w.writes++
	return n, err
}

func (w *hashingWriter) Write(p []byte) (int, error) {
	w.sum.Write(p)
	return w.inner.Write(p)
}

func (w *teeingWriter) Write(p []byte) (int, error) {
	w.copy.Write(p)
	return w.inner.Write(p)
}

func (w *gzipWriter) Write(p []byte) (int, error) { return w.z.Write(p) }

func (w *bufferingWriter) Write(p []byte) (int, error) { return w.b.Write(p) }

func (w *piecesWriter) Write(p []byte) (int, error) {
	total := 0
	for piece := range slices.Chunk(p, 100_000) {
		n, err := w.inner.Write(piece)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (w *copyingWriter) Write(p []byte) (int, error) { return w.inner.Write(bytes.Clone(p)) }

func (w *changingWriter) Write(p []byte) (int, error) {
	same := min(len(p), w.same)
	n, err := w.inner.Write(p[:same])
	if w.same -= n; err == nil && same < len(p) {
		var m int
		changed := bytes.Clone(p[same:])
		for i := range changed {
			changed[i] ^= 0xff
		}
		m, err = w.inner.Write(changed)
		n += m
	}
	return n, err
}

func (w *skippingWriter) Write(p []byte) (int, error) {
	w.largest = max(w.largest, len(p))
	if w.writes++; w.writes == 1 || len(p) < 200 {
		return w.inner.Write(p)
	}
	if w.all {
		return w.inner.Write(bytes.Clone(p))
	}
	n, err := w.inner.Write(bytes.Clone(p[:100]))
	if err != nil {
		return n, err
	}
	m, err := w.inner.Write(p[100:])
	return n + m, err
}

var errFull = errors.New("no more room")

func (w *shortWriter) Write(p []byte) (int, error) {
	n, err := w.inner.Write(p[:min(len(p), w.room)])
	if w.room -= n; err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}

func (w *elsewhereWriter) Write(p []byte) (n int, err error) {
	var wg sync.WaitGroup
	wg.Go(func() { n, err = w.inner.Write(p) })
	wg.Wait()
	return n, err
}

func (w *panickingWriter) Write(p []byte) (int, error) {
	n, err := w.inner.Write(p[:min(len(p), w.after)])
	if w.after -= n; err == nil && n < len(p) {
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// A lendCase is a response writer between the server and a handler.
type lendCase struct {
	name string
	fast bool // its bytes go by sendfile
	wrap func(http.ResponseWriter) (w http.ResponseWriter, end func() (notes string))
}

var lendCases = []lendCase{
	{"embedded", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return inner{w}, func() string { return "" }
	}},
	{"counting", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		c := &countingWriter{inner: inner{w}}
		return c, func() string { return fmt.Sprint(c.status, " ", c.size) }
	}},
	{"two counting", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		c := &countingWriter{inner: inner{w}}
		d := &countingWriter{inner: inner{c}}
		return d, func() string { return fmt.Sprint(c.status, c.size, c.writes == d.writes, " ", d.status, d.size) }
	}},
	{"hashing", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		h := &hashingWriter{inner{w}, sha256.New()}
		return h, func() string { return fmt.Sprintf("%x", h.sum.Sum(nil)) }
	}},
	{"teeing", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		h := &teeingWriter{inner: inner{w}}
		return h, func() string { return fmt.Sprintf("%x", sha256.Sum256(h.copy.Bytes())) }
	}},
	{"buffering", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		b := &bufferingWriter{inner{w}, bufio.NewWriterSize(w, 10_000)}
		return b, func() string { return fmt.Sprint(b.b.Flush()) }
	}},
	{"in another goroutine", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return &elsewhereWriter{inner{w}}, func() string { return "" }
	}},
	{"in pieces", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return &piecesWriter{inner{w}}, func() string { return "" }
	}},
	{"skipping", false, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return &skippingWriter{inner: inner{w}}, func() string { return "" }
	}},
	{"gzip", false, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		w.Header().Set("Content-Encoding", "gzip")
		g := &gzipWriter{inner{w}, gzip.NewWriter(w)}
		return g, func() string { return fmt.Sprint(g.z.Close()) }
	}},
	{"a copy", false, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return &copyingWriter{inner{w}}, func() string { return "" }
	}},
	{"changing", false, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return &changingWriter{inner{w}, 1_000_000}, func() string { return "" }
	}},
	{"failing in the first buffer", false, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		s := &shortWriter{inner{w}, 1000}
		return s, func() string { return fmt.Sprint(s.room) }
	}},
	{"failing later", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		s := &shortWriter{inner{w}, 3_000_000}
		return s, func() string { return fmt.Sprint(s.room) }
	}},
	{"panicking later", true, func(w http.ResponseWriter) (http.ResponseWriter, func() string) {
		return &panickingWriter{inner{w}, 3_000_000}, func() string { return "" }
	}},
}
