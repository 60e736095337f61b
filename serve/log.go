package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	logFlushBytes = 64 << 10
	logFlushWait  = time.Second
	logBytesMax   = 4 << 20 // in memory while the log cannot be written: some 20,000 lines; more are lost and counted
)

// accessLog writes a line for each response. Responses never wait for it: lines are collected in
// memory, and a goroutine writes them at most a second later.
type accessLog struct {
	w        io.Writer
	json     bool
	errorLog func(error)
	stats    *stats

	mu       sync.Mutex
	lines    []byte
	second   int64 // the second that stamp shows
	stamp    []byte
	wake     chan struct{}
	closing  chan struct{}
	done     chan struct{}
	spare    []byte // the buffer written last, for reuse by the goroutine
	broken   bool   // the last write failed
	halfLine bool   // the last write ended within a line
}

func newAccessLog(w io.Writer, json bool, errorLog func(error), s *stats) *accessLog {
	l := &accessLog{w: w, json: json, errorLog: errorLog, stats: s,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *accessLog) add(r *http.Request, o *outcome) {
	l.mu.Lock()
	if len(l.lines) >= logBytesMax {
		l.mu.Unlock()
		l.stats.logLost.Inc()
		return
	}
	if now := o.began.Unix(); now != l.second || l.stamp == nil {
		l.second = now
		if l.json {
			l.stamp = o.began.AppendFormat(l.stamp[:0], time.RFC3339)
		} else {
			l.stamp = o.began.AppendFormat(l.stamp[:0], "02/Jan/2006:15:04:05 -0700")
		}
	}
	if l.json {
		l.lines = appendJSON(l.lines, l.stamp, r, o)
	} else {
		l.lines = appendCombined(l.lines, l.stamp, r, o)
	}
	full := len(l.lines) >= logFlushBytes
	l.mu.Unlock()
	if full {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

func (l *accessLog) run() {
	defer close(l.done)
	tick := time.NewTicker(logFlushWait)
	defer tick.Stop()
	for {
		select {
		case <-l.wake:
		case <-tick.C:
		case <-l.closing:
			l.flush()
			return
		}
		l.flush()
	}
}

// flush writes the collected lines. Lines that cannot be written are lost and counted; the next
// ones are tried again.
func (l *accessLog) flush() {
	l.mu.Lock()
	lines := l.lines
	l.lines, l.spare = l.spare[:0], nil
	l.mu.Unlock()
	if len(lines) == 0 {
		l.spare = lines
		return
	}
	n, err := 0, error(nil)
	if l.halfLine {
		n, err = l.w.Write([]byte("\n"))
		l.halfLine = n == 0
		n = 0
	}
	if err == nil {
		n, err = l.w.Write(lines)
	}
	if err != nil {
		l.halfLine = l.halfLine || n > 0 && lines[n-1] != '\n'
		l.stats.logLost.Add(bytes.Count(lines[n:], []byte("\n")))
		if !l.broken {
			l.errorLog(fmt.Errorf("write the access log: %w; serving continues, but lines are lost until it works", err))
		}
	}
	l.broken = err != nil
	if cap(lines) <= 4*logFlushBytes {
		l.spare = lines
	}
}

// close writes the remaining lines, as long as ctx allows.
func (l *accessLog) close(ctx context.Context) {
	close(l.closing)
	select {
	case <-l.done:
	case <-ctx.Done():
		select {
		case <-l.done:
		case <-time.After(logFlushWait): // a log that is only slow may take this long
			l.errorLog(errors.New("write the access log: it accepts no more lines; the last ones are lost"))
		}
	}
}

// appendCombined appends a line in the combined format: the common log format plus referer and user
// agent.
func appendCombined(b, stamp []byte, r *http.Request, o *outcome) []byte {
	b = append(b, dash(o.client)...)
	b = append(b, " - "...)
	b = appendPrintable(b, dash(o.user), true)
	b = append(b, " ["...)
	b = append(b, stamp...)
	b = append(b, `] "`...)
	b = appendPrintable(b, r.Method, false)
	for _, word := range [...]string{r.RequestURI, r.Proto} {
		if word != "" { // a malformed request may have fewer words
			b = append(b, ' ')
			b = appendPrintable(b, word, false)
		}
	}
	b = append(b, `" `...)
	b = strconv.AppendInt(b, int64(o.status), 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, o.bytes, 10)
	b = append(b, ` "`...)
	b = appendPrintable(b, dash(firstValue(r.Header["Referer"])), false)
	b = append(b, `" "`...)
	b = appendPrintable(b, dash(firstValue(r.Header["User-Agent"])), false)
	return append(b, "\"\n"...)
}

func firstValue(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

const hexDigits = "0123456789abcdef"

// appendPrintable escapes quotes, backslashes and everything but printable ASCII as \xHH, so that
// no client can forge lines, fields or terminal sequences. In a word it also escapes spaces.
func appendPrintable(b []byte, text string, word bool) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c >= 0x7f || c == '"' || c == '\\' || word && c == ' ':
			b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

// appendJSON appends a line that is a JSON object.
func appendJSON(b, stamp []byte, r *http.Request, o *outcome) []byte {
	b = append(b, `{"time":"`...)
	b = append(b, stamp...)
	b = append(b, '"')
	field := func(name, value string) {
		b = append(b, ',', '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		b = appendQuoted(b, value)
	}
	field("client", o.client)
	if o.user != "" {
		field("user", o.user)
	}
	field("method", r.Method)
	field("target", r.RequestURI)
	field("proto", r.Proto)
	b = append(b, `,"status":`...)
	b = strconv.AppendInt(b, int64(o.status), 10)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, o.bytes, 10)
	b = append(b, `,"seconds":`...)
	b = strconv.AppendFloat(b, o.took.Seconds(), 'f', 6, 64)
	if text := firstValue(r.Header["Range"]); text != "" {
		field("range", text)
	}
	if text := firstValue(r.Header["Referer"]); text != "" {
		field("referer", text)
	}
	field("agent", firstValue(r.Header["User-Agent"]))
	return append(b, "}\n"...)
}

// appendQuoted appends a JSON string; bytes that are not UTF-8 become U+FFFD.
func appendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029:
			b = append(b, '\\', 'u', hexDigits[c>>12], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return append(b, '"')
}
