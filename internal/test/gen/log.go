package gen

import (
	"io"
	"math/rand/v2"
	"strconv"
	"time"
)

// Line is a line to plant in a log, without its line feed.
type Line struct {
	Off  int64 // it becomes the first line that begins at or after this offset
	Text string
}

// Log writes exactly size bytes of an application log; the last line may be cut. Lines have about a
// hundred bytes, with time, level, request, user, path, status and latency, sometimes a stack trace
// or a JSON object, and some non-ASCII names. The planted lines must be in ascending order.
//
// A template of a few thousand varied lines is made once. Lines are then random copies from the
// template, with the time and the numbers overwritten: that is fast, and no two lines are equal.
func Log(w io.Writer, size int64, seed uint64, plant ...Line) error {
	g := newLogger(seed)
	out := make([]byte, 0, blockBytes+16<<10)
	var written int64
	for written < size {
		for len(out) < blockBytes {
			if len(plant) > 0 && written+int64(len(out)) >= plant[0].Off {
				out = append(append(out, plant[0].Text...), '\n')
				plant = plant[1:]
				continue
			}
			out = g.appendLine(out)
		}
		n, err := w.Write(out[:min(int64(len(out)), size-written)])
		written += int64(n)
		if err != nil {
			return err
		}
		out = out[:0]
	}
	return nil
}

// logger holds the template, and the state that changes from line to line.
type logger struct {
	r     *rand.Rand
	lines []logLine
	at    time.Time
	stamp []byte // the time of the current second
}

// logLine is a line of the template, with the offsets of the numbers to overwrite.
type logLine struct {
	text                []byte
	request, user, took int // 0 if the line has no such number
}

const (
	templateLines = 4096
	stampLayout   = "2006-01-02T15:04:05"
)

func newLogger(seed uint64) *logger {
	g := &logger{r: rand.New(rand.NewPCG(seed, 1)), at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for range templateLines {
		g.lines = append(g.lines, g.template())
	}
	g.stamp = []byte(g.at.Format(stampLayout))
	return g
}

var (
	levels   = []string{"INFO ", "INFO ", "INFO ", "INFO ", "INFO ", "INFO ", "DEBUG", "DEBUG", "WARN ", "ERROR"}
	services = []string{"api-gateway", "billing", "search", "session-store", "upload", "mailer"}
	paths    = []string{"/api/v2/orders", "/api/v2/users/me", "/static/app.js", "/healthz", "/search?q=caf%C3%A9",
		"/api/v1/export/monthly-report.csv", "/login", "/api/v2/carts/items"}
	methods = []string{"GET", "GET", "GET", "POST", "PUT", "DELETE"}
	names   = []string{"Zoë", "José Álvarez", "Björk", "李小龙", "Ολγα", "Smith", "O'Brien", "Nguyễn"}
	traces  = []string{
		"\tat com.example.billing.Invoice.total(Invoice.java:118)",
		"\tgoroutine 8812 [select]: net/http.(*persistConn).writeLoop",
		"caused by: connection reset by peer (attempt 3 of 5)",
	}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// template returns a line with placeholders for its numbers.
func (g *logger) template() logLine {
	var l logLine
	b := append([]byte(stampLayout), ".000Z "...)
	if g.r.IntN(40) == 0 {
		l.text = append(append(b, pick(g.r, traces)...), '\n')
		return l
	}
	b = append(append(append(b, pick(g.r, levels)...), ' '), pick(g.r, services)...)
	b = append(b, " req="...)
	l.request = len(b)
	b = append(b, "00000000 user="...)
	l.user = len(b)
	b = append(b, "000000000 "...)
	switch g.r.IntN(12) {
	case 0:
		b = append(b, `{"event":"order","customer":"`...)
		b = append(append(b, pick(g.r, names)...), `","items":`...)
		b = append(strconv.AppendInt(b, g.r.Int64N(40), 10), `,"note":"gift wrap\nplease"}`...)
	case 1:
		b = append(append(append(b, `login of "`...), pick(g.r, names)...), `" accepted`...)
	default:
		b = append(append(append(b, pick(g.r, methods)...), ' '), pick(g.r, paths)...)
		b = append(b, " status="...)
		b = append(b, pick(g.r, []string{"200", "200", "200", "204", "304", "404", "500"})...)
	}
	b = append(b, " took "...)
	l.took = len(b)
	b = append(b, "0000us\n"...)
	l.text = b
	return l
}

// appendLine appends a copy of a template line with new numbers.
func (g *logger) appendLine(out []byte) []byte {
	x := g.r.Uint64()
	l := &g.lines[x%templateLines]
	begin := len(out)
	out = append(out, l.text...)
	line := out[begin:]
	g.tick(x >> 52)
	copy(line, g.stamp)
	millis := g.at.Nanosecond() / 1e6
	line[20], line[21], line[22] = digit(millis/100), digit(millis/10%10), digit(millis%10)
	if l.request == 0 {
		return out
	}
	for i := range 8 {
		line[l.request+i] = "0123456789abcdef"[x>>(4*i+12)&15]
	}
	user := x >> 20 % 1_000_000_000
	for i := 8; i >= 0; i-- {
		line[l.user+i] = digit(int(user % 10))
		user /= 10
	}
	took := int(x >> 40 % 10_000)
	for i := 3; i >= 0; i-- {
		line[l.took+i] = digit(took % 10)
		took /= 10
	}
	return out
}

func digit(n int) byte { return '0' + byte(n) }

// tick advances the clock by some hundred microseconds, and updates the stamp every second.
func (g *logger) tick(n uint64) {
	second := g.at.Second()
	g.at = g.at.Add(time.Duration(n) * 300 * time.Nanosecond)
	if g.at.Second() != second {
		g.stamp = g.at.AppendFormat(g.stamp[:0], stampLayout)
	}
}
