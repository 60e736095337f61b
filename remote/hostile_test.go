package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

// hostile answers the first so many requests behind the head wrongly, and the others well.
func hostile(data []byte, times int64, wrong http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		if off, _ := asked(r); off > 0 && n.Add(1) <= times {
			wrong(w, r)
			return
		}
		serveRanges(data)(w, r)
	}
}

// lies are wrong answers to a request for a range.
func lies(data []byte) map[string]http.HandlerFunc {
	partial := func(w http.ResponseWriter, contentRange string, body []byte) {
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Range", contentRange)
		w.WriteHeader(http.StatusPartialContent)
		w.(http.Flusher).Flush() // without a length
		w.Write(body)
	}
	drop := func(w http.ResponseWriter) {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return map[string]http.HandlerFunc{
		"all instead of a range": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", etag)
			w.Write(data)
		},
		"another range": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			partial(w, fmt.Sprintf("bytes %d-%d/%d", off-1, end-2, len(data)), data[off-1:end-1])
		},
		"longer range": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			end = min(end+5, len(data))
			partial(w, fmt.Sprintf("bytes %d-%d/%d", off-5, end-1, len(data)), data[off-5:end])
		},
		"no range": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			partial(w, "", data[off:end])
		},
		"too many bytes": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			partial(w, fmt.Sprintf("bytes %d-%d/%d", off, end-1, len(data)), append(data[off:end:end], "more"...))
		},
		"too few bytes": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			partial(w, fmt.Sprintf("bytes %d-%d/%d", off, end-1, len(data)), data[off:end-1])
		},
		"other length": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			w.Header().Set("Content-Length", "3")
			w.Header().Set("ETag", etag)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, end-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(data[:3])
		},
		"multipart": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
			off, end := asked(r)
			partial(w, fmt.Sprintf("bytes %d-%d/%d", off, end-1, len(data)), data[off:end])
		},
		"cut": func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			w.Header().Set("ETag", etag)
			w.Header().Set("Content-Length", strconv.Itoa(end-off))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, end-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(data[off : off+(end-off+1)/2])
			drop(w)
		},
		"closed at once":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"internal error":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"slow down":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"too many of you": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
	}
}

// TestHostile asks servers that answer wrongly for a while, and servers that never answer right. The first get
// their right answer, of the second every byte that was not read is named.
func TestHostile(t *testing.T) {
	data := text(1_500_000)
	want := int64(bytes.Count(data, []byte{'\n'}))
	if data[len(data)-1] != '\n' {
		want++
	}
	for what, wrong := range lies(data) {
		for _, times := range []int64{3, 1 << 40} {
			t.Run(fmt.Sprint(what, times), func(t *testing.T) {
				c := newClient(t, quick)
				in, err := c.Open(t.Context(), serve(t, hostile(data, times, wrong)))
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				r, err := thresh.Count(t.Context(), in, thresh.LineCount(), options.Scan{Run: options.Run{ChunkBytes: 300_000, Receipt: true}})
				if err != nil {
					t.Fatal(err)
				}
				unread := int64(0)
				for _, u := range r.Unread {
					unread += u.Len
				}
				if r.Bytes+unread != int64(len(data)) {
					t.Errorf("%d bytes read and %d unread of %d", r.Bytes, unread, len(data))
				}
				recovers := times < 10 || what == "cut" // half of a range is progress
				if recovers != r.Complete || recovers && r.Hits != want {
					t.Errorf("complete %v, %d lines of %d, unread %v", r.Complete, r.Hits, want, r.Unread)
				}
				asked := func(p receipt.Part) bool { return p.Wall == receipt.Throttling }
				if what == "slow down" && r.Receipt.Wall != receipt.TooSmall && !slices.ContainsFunc(r.Receipt.Parts, asked) {
					t.Errorf("nothing of the server's pauses: %s", r.Receipt.Verdict)
				}
			})
		}
	}
}

// TestReplaced replaces the object while it is read, in every way that a server can show.
func TestReplaced(t *testing.T) {
	data := text(1_500_000)
	other := bytes.Repeat([]byte{'\n'}, len(data))
	for what, replaced := range map[string]http.HandlerFunc{
		"precondition": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"v2"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
		},
		"other tag": func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("If-Match")
			w.Header().Set("ETag", `"v2"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
		},
		"no tag": func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("If-Match")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(other))
		},
		"longer": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", etag)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(data[:len(data):len(data)], 'x')))
		},
		"gone": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) },
	} {
		t.Run(what, func(t *testing.T) {
			var asks atomic.Int64
			c := newClient(t, quick)
			in, err := c.Open(t.Context(), serve(t, func(w http.ResponseWriter, r *http.Request) {
				if asks.Add(1) > 3 {
					replaced(w, r)
				} else {
					serveRanges(data)(w, r)
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			q, _ := thresh.Text("\n\n\n\n") // only the other object has it
			r, err := thresh.Count(t.Context(), in, q, options.Scan{Run: options.Run{ChunkBytes: 100_000}})
			if err != nil || r.Complete || len(r.Unread) == 0 || r.Hits != 0 {
				t.Fatalf("%d hits, unread %v: %v", r.Hits, r.Unread, err)
			}
			n := r.Bytes
			for i := range r.Unread {
				n += r.Unread[i].Len
			}
			if n != int64(len(data)) {
				t.Errorf("%d bytes accounted for, of %d", n, len(data))
			}
			var replaced *ReplacedError
			if found := errors.As(&r.Unread[0], &replaced); found != (what != "gone") {
				t.Errorf("%v", &r.Unread[0])
			}
			if asks.Load() > 20 {
				t.Errorf("%d requests for an object that is gone", asks.Load())
			}
		})
	}
}

// TestCancelled cancels reads that hang: requests end, and so does the call.
func TestCancelled(t *testing.T) {
	data := text(1_500_000)
	for _, kind := range []string{"ranges", "once", "gzip"} {
		t.Run(kind, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := newClient(t, quick)
			body := data
			if kind == "gzip" {
				var b bytes.Buffer
				w, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
				w.Write(data)
				w.Close()
				body = b.Bytes()
			}
			in, err := c.Open(context.Background(), serve(t, func(w http.ResponseWriter, r *http.Request) {
				off, end := asked(r)
				switch {
				case kind == "once":
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					w.Write(body[:200_000])
				case off == 0 && end <= headBytes:
					serveRanges(body)(w, r)
					return
				}
				if kind == "once" {
					w.(http.Flusher).Flush()
				}
				cancel()
				<-r.Context().Done()
			}))
			if err != nil {
				t.Fatal(err)
			}
			_, err = thresh.Count(ctx, in, thresh.LineCount(), options.Scan{})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStalled has a server that stops sending once: after the time limit the rest is requested again.
func TestStalled(t *testing.T) {
	data := text(400_000)
	o := quick
	o.StallMax = 300 * time.Millisecond
	c := newClient(t, o)
	in, err := c.Open(t.Context(), serve(t, hostile(data, 1, func(w http.ResponseWriter, r *http.Request) {
		off, end := asked(r)
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, end-1, len(data)))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(data[off : off+10])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := thresh.Count(t.Context(), in, thresh.NonZero(), options.Scan{})
	if err != nil || r.Hits != int64(len(data)) {
		t.Errorf("%d of %d, unread %v: %v", r.Hits, len(data), r.Unread, err)
	}
}
