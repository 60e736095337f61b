package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// spaced builds JSON with white space wherever it is allowed, and the same text without.
type spaced struct {
	r           *rand.Rand
	wide, tight bytes.Buffer
	airy        int // there is white space at one of this many places
}

func (s *spaced) space() {
	for chance(s.r, s.airy) {
		s.wide.WriteString(pick(s.r, " ", "\n", "\r", "\t", "  \n", strings.Repeat(" ", s.r.IntN(70))))
	}
}

func (s *spaced) token(text string) {
	s.wide.WriteString(text)
	s.tight.WriteString(text)
	s.space()
}

// value writes a random value with at most this many levels.
func (s *spaced) value(depth int) {
	switch k := s.r.IntN(6); {
	case depth > 0 && k == 0:
		s.list("{", "}", func() {
			s.token(s.text())
			s.token(":")
			s.value(depth - 1)
		})
	case depth > 0 && k < 3:
		s.list("[", "]", func() { s.value(depth - 1) })
	case k < 4:
		s.token(s.text())
	default:
		s.token(pick(s.r, "true", "false", "null", "0", "-1", "12345678901234567890", "1.5e-7", "1E+30", "-0.0"))
	}
}

func (s *spaced) list(open, end string, element func()) {
	s.token(open)
	for i := range s.r.IntN(5) {
		if i > 0 {
			s.token(",")
		}
		element()
	}
	s.token(end)
}

// text returns a string with escapes, structural characters and white space in it.
func (s *spaced) text() string {
	var b strings.Builder
	b.WriteByte('"')
	for range s.r.IntN(12) {
		b.WriteString(pick(s.r,
			"a", " ", "é", `\"`, `\\`, `\n`, `\u00e9`, "{", "]", ":", ",", "  ", "\u2028", "\U0001f600", `\/`, strings.Repeat("long ", s.r.IntN(30))))
	}
	b.WriteByte('"')
	return b.String()
}

// randomJSON returns n values with white space, and without, one to a line.
func randomJSON(r *rand.Rand, values, depth int) (wide []byte, tight []string) {
	s := &spaced{r: r, airy: pick(r, 2, 3, 20)}
	s.space()
	for i := range values {
		if i > 0 {
			s.wide.WriteString(pick(r, "\n", " ", "\r\n", "\n\n"))
		}
		s.tight.Reset()
		s.value(depth)
		tight = append(tight, s.tight.String())
	}
	return s.wide.Bytes(), tight
}

// minified runs Minify on an input of a kind, into a file or into anything else.
func minified(t *testing.T, r *rand.Rand, kind string, data []byte,
	o options.Minify) (out []byte, report answer.MinifyReport, err error) {
	in := inputs[kind].open(t, r, data)
	defer func() { err = errors.Join(err, in.end()) }()
	if chance(r, 2) {
		var b bytes.Buffer
		report, err = thresh.Minify(context.Background(), in.Input, &b, o)
		return b.Bytes(), report, err
	}
	f, createErr := os.Create(write(t, "output", nil))
	if createErr != nil {
		t.Fatal(createErr)
	}
	report, err = thresh.Minify(context.Background(), in.Input, f, o)
	_, seekErr := f.Seek(0, io.SeekStart)
	out, readErr := io.ReadAll(f)
	return out, report, errors.Join(err, seekErr, readErr, f.Close(), os.Remove(f.Name()))
}

func minifyOptions(r *rand.Rand, size int) options.Minify {
	o := options.Minify{Run: options.Run{Workers: pick(r, 0, 1, 2, 5), ChunkBytes: pick(r, 0, 1, 2, 7, 1+r.IntN(100), 4096)}}
	if o.ChunkBytes > 0 {
		o.ChunkBytes = max(o.ChunkBytes, size/300)
	}
	return o
}

// with says whether a text is of several values, and whether it is trusted.
func with(o options.Minify, ndjson, trust bool) options.Minify {
	o.NDJSON, o.Validate = ndjson, !trust
	return o
}

// TestMinify minifies random JSON. The right result is known, because the text was made with and
// without white space.
func TestMinify(t *testing.T) {
	cases(t, 400, func(t *testing.T, r *rand.Rand) error {
		values := pick(r, 1, 1, 1, 2, 5, 30)
		wide, tight := randomJSON(r, values, r.IntN(6))
		if chance(r, 4) {
			wide, tight = slices.Repeat(append(wide, '\n'), 1+r.IntN(60)), nil
			for d := json.NewDecoder(bytes.NewReader(wide)); ; {
				var one json.RawMessage
				if err := d.Decode(&one); err != nil {
					break
				}
				var b bytes.Buffer
				if err := json.Compact(&b, one); err != nil {
					return err
				}
				tight = append(tight, b.String())
			}
		}
		ndjson, trust := chance(r, 2), chance(r, 2)
		kind := pick(r, sorted(inputs)...)
		if k := inputs[kind]; k.rare > 0 && !chance(r, k.rare) {
			kind = "file"
		}
		o := minifyOptions(r, len(wide))
		o.Engine = inputs[kind].engine(r)
		if o.Engine == options.EngineUring {
			o.Engine = options.EnginePread
		}
		out, report, err := minified(t, r, kind, wide, with(o, ndjson, trust))
		want := strings.Join(tight, "\n")
		if err == nil {
			err = errors.Join(same("bytes", report.Bytes, int64(len(wide))), same("written", report.Written, int64(len(out))),
				same("complete", report.Complete, true), sameText("output", strings.TrimSuffix(string(out), "\n"), want))
		}
		if err != nil {
			return fmt.Errorf("%d values as %s, ndjson %v, trust %v, %+v: %.500q: %w", len(tight), kind, ndjson, trust, o, wide, err)
		}
		if len(tight) == 1 {
			return errors.Join(sameText("AppendMinified", string(thresh.AppendMinified(nil, wide)), want),
				sameText("AppendMinifiedParallel", string(thresh.AppendMinifiedParallel(nil, wide, 2)), want))
		}
		return nil
	})
}

// TestJSONFaults changes a byte or two of random JSON, and checks that the same texts are rejected as by
// encoding/json. But encoding/json accepts invalid UTF-8, which RFC 8259 does not allow.
func TestJSONFaults(t *testing.T) {
	cases(t, 600, func(t *testing.T, r *rand.Rand) error {
		wide, _ := randomJSON(r, 1, r.IntN(5))
		for range r.IntN(3) {
			at := r.IntN(len(wide) + 1)
			text := pick(r, "", `"`, "{", "}", "[", "]", ",", ":", "0", "e", "-", ".", "\\", " ", "\n", "\xff", "\xe2\x82", "\x00", "\x1f", "t", "u", "//")
			wide = slices.Concat(wide[:at], []byte(text), wide[min(len(wide), at+r.IntN(2)):])
			if len(wide) == 0 {
				wide = []byte(" ")
			}
		}
		valid, known := isJSON(wide)
		if !known {
			return nil
		}
		kind := pick(r, "file", "file", "pipe", "gzip")
		o := minifyOptions(r, len(wide))
		_, report, err := minified(t, r, kind, wide, with(o, false, false))
		var fault *failure.JSONError
		switch {
		case valid && err == nil:
			return same("complete", report.Complete, true)
		case !valid && errors.As(err, &fault):
			return nil
		}
		return fmt.Errorf("%q as %s, %+v: valid: %v, error %v", wide, kind, o, valid, err)
	})
}

// sameText compares long texts and shows where they differ.
func sameText(what, got, want string) error {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	if got == want {
		return nil
	}
	return fmt.Errorf("%s of %d bytes, want %d: from byte %d on %.40q, want %.40q", what, len(got), len(want), at, got[at:], want[at:])
}

// isJSON reports whether text is one value, or several separated by white space. Parsers differ in
// whether values may follow each other without any.
func isJSON(text []byte) (valid, known bool) {
	if !utf8.Valid(text) {
		return false, true
	}
	if len(bytes.Trim(text, " \t\r\n")) == 0 {
		return false, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	end := int64(0)
	for first := true; ; first = false {
		var one json.RawMessage
		err := d.Decode(&one)
		switch {
		case err == io.EOF:
			return true, true
		case err != nil:
			if strings.Contains(err.Error(), "after top-level value") {
				return false, false
			}
			return false, true
		case !first && !bytes.ContainsAny(text[end-1:d.InputOffset()-int64(len(one))+1], " \t\r\n"):
			return false, false
		}
		end = d.InputOffset()
	}
}
