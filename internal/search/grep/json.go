package grep

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/json/escape"
)

// jsonFormat prints the messages of ripgrep: begin, match, context and end, one a line. An input without a
// selected line has none.
type jsonFormat struct {
	*Sink
	Format
	since time.Time // the search began
	begun bool      // the first message was printed
}

func (f *jsonFormat) plain() bool        { return false }
func (f *jsonFormat) wantsMatches() bool { return true }
func (f *jsonFormat) separator() string  { return "" }

func (f *jsonFormat) line(line *shown, off, num int64, matches [][2]int) error {
	if err := f.begin(); err != nil {
		return err
	}
	return f.message("match", line, off, num, matches)
}

func (f *jsonFormat) context(line *shown, off, num int64) error {
	if err := f.begin(); err != nil {
		return err
	}
	return f.message("context", line, off, num, nil)
}

// begin prints the first message.
func (f *jsonFormat) begin() error {
	if f.begun {
		return nil
	}
	f.begun = true
	f.text(`{"type":"begin","data":{"path":`)
	if err := f.data(nil, []byte(f.Name)); err != nil {
		return err
	}
	f.text("}}")
	return f.add(feed)
}

func (f *jsonFormat) message(kind string, line *shown, off, num int64, matches [][2]int) error {
	f.text(`{"type":"`)
	f.text(kind)
	f.text(`","data":{"path":`)
	if err := f.data(nil, []byte(f.Name)); err != nil {
		return err
	}
	f.text(`,"lines":`)
	if err := f.data(line.part(0, len(line.text))); err != nil {
		return err
	}
	f.text(`,"line_number":`)
	f.buf = strconv.AppendInt(f.buf, num, 10)
	f.text(`,"absolute_offset":`)
	f.buf = strconv.AppendInt(f.buf, f.at(off), 10)
	f.text(`,"submatches":[`)
	for i, m := range matches {
		if i > 0 {
			f.byte(',')
		}
		f.text(`{"match":`)
		if err := f.data(line.part(m[0], m[1])); err != nil {
			return err
		}
		from, to := line.place(m[0], m[1])
		f.text(`,"start":`)
		f.buf = strconv.AppendInt(f.buf, int64(from), 10)
		f.text(`,"end":`)
		f.buf = strconv.AppendInt(f.buf, int64(to), 10)
		f.byte('}')
	}
	f.text("]}}")
	return f.add(feed)
}

// data prints bytes, which come in two parts, as {"text":"..."}, or as {"bytes":"..."} in base64 if they are not UTF-8.
func (f *jsonFormat) data(head, rest []byte) error {
	valid := utf8.Valid(rest) && utf8.Valid(head)
	if valid {
		f.text(`{"text":"`)
	} else {
		f.text(`{"bytes":"`)
		n := min((3-len(head)%3)%3, len(rest)) // base64 is written of three bytes each
		head, rest = append(head[:len(head):len(head)], rest[:n]...), rest[n:]
	}
	if err := f.pieces(head, valid); err != nil {
		return err
	}
	if err := f.pieces(rest, valid); err != nil {
		return err
	}
	f.text(`"}`)
	return nil
}

// pieces prints a part, which may be long.
func (f *jsonFormat) pieces(b []byte, valid bool) error {
	const piece = 3 << 10 // a multiple of 3
	for len(b) > 0 {
		n := min(piece, len(b))
		if !valid {
			f.buf = base64.StdEncoding.AppendEncode(f.buf, b[:n])
		} else {
			for n < len(b) && !utf8.RuneStart(b[n]) {
				n-- // a piece ends with a whole character
			}
			f.buf, _ = escape.Append(f.buf, b[:n])
		}
		if b = b[n:]; len(b) > 0 {
			if err := f.add(nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *jsonFormat) binary(int64) error { return f.begin() } // the last message has the offset

// Stats are the figures of ripgrep's messages.
type Stats struct {
	Elapsed  time.Duration
	Searches int64
	With     int64 // searches that selected a line
	Bytes    int64 // searched
	Printed  int64 // bytes of messages before the one of the end
	Lines    int64
	Matches  int64
}

// Append appends the figures as JSON.
func (s *Stats) Append(dst []byte) []byte {
	return fmt.Appendf(dst, `{"elapsed":%s,"searches":%d,"searches_with_match":%d,"bytes_searched":%d,"bytes_printed":%d,`+
		`"matched_lines":%d,"matches":%d}`, Elapsed(s.Elapsed), s.Searches, s.With, s.Bytes, s.Printed, s.Lines, s.Matches)
}

// Elapsed returns a time as ripgrep writes it.
func Elapsed(d time.Duration) string {
	return fmt.Sprintf(`{"secs":%d,"nanos":%d,"human":"%.6fs"}`, d/time.Second, d%time.Second, d.Seconds())
}

// end prints the last message, whose figures are those of the whole input.
func (f *jsonFormat) end(p *printer) error {
	if !f.begun || p.partial {
		return nil
	}
	printed := f.total() - p.outFrom
	defer func() { p.uncounted = f.total() - p.outFrom - printed }()
	f.text(`{"type":"end","data":{"path":`)
	if err := f.data(nil, []byte(f.Name)); err != nil {
		return err
	}
	f.text(`,"binary_offset":`)
	if p.binary {
		f.buf = strconv.AppendInt(f.buf, f.at(p.nul), 10)
	} else {
		f.text("null")
	}
	stats := Stats{Elapsed: time.Since(f.since), Searches: 1, With: 1, Bytes: p.bytes,
		Printed: printed, Lines: p.count, Matches: p.matches}
	f.text(`,"stats":`)
	f.buf = stats.Append(f.buf)
	f.text("}}")
	return f.add(feed)
}
