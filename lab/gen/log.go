package gen

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Needle is a text to be planted in a log: as the message of the first line, numbered
// from 0, that begins at Off or behind it and whose number is at least Line.
type Needle struct {
	Off, Line int64
	Text      string // no line feed
}

// Log writes an application's log of exactly that many bytes. Lines are about 130 bytes
// long and hold a time in milliseconds that never goes back, a level, a service, a
// request id of 16 hexadecimal digits, a user of 9 digits, and a message: an HTTP
// request, an event in JSON with names in UTF-8, a slow query, a stack trace. The last
// line ends with a line feed and may be cut short.
//
// Needles are planted in the order given, at most one a line. Log returns the offset of
// each one's text, and an error when the log is too short for one of them.
func Log(w io.Writer, bytes int64, seed uint64, needles ...Needle) ([]int64, error) {
	for _, n := range needles {
		if strings.Contains(n.Text, "\n") {
			return nil, fmt.Errorf("make log: needle %q spans lines", n.Text)
		}
	}
	l := &logger{r: newRand("log", seed), now: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)}
	l.formatSecond()
	out := newWriter(w)
	var places []int64
	for off := int64(0); off < bytes; l.number++ {
		line := l.head(lineBuffer(out))
		text := int64(len(line))
		if n := len(places); n < len(needles) && off >= needles[n].Off && l.number >= needles[n].Line {
			line = append(line, needles[n].Text...)
			places = append(places, off+text)
		} else {
			line = l.message(line)
		}
		line = append(line, '\n')
		if left := bytes - off; int64(len(line)) > left {
			line = cut(line, int(left))
			if n := len(places); n > 0 && places[n-1]+int64(len(needles[n-1].Text)) >= bytes {
				places = places[:n-1]
			}
		}
		if _, err := out.Write(line); err != nil {
			return nil, fmt.Errorf("make log: %w", err)
		}
		off += int64(len(line))
	}
	if n := len(places); n < len(needles) {
		return nil, fmt.Errorf("make log: %d bytes end before needle %q", bytes, needles[n].Text)
	}
	return places, wrap("make log", out.Flush())
}

// lineBuffer returns an empty slice at the place where out will want the next bytes, so
// that Write need not copy them.
func lineBuffer(out *bufio.Writer) []byte {
	const lineBytesMax = 1 << 10
	if out.Available() < lineBytesMax {
		return make([]byte, 0, lineBytesMax)
	}
	return out.AvailableBuffer()
}

// cut shortens a line to n bytes, the last a line feed, without breaking a character.
func cut(line []byte, n int) []byte {
	line = line[:n]
	end := n - 1
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	for i := end; i < n-1; i++ {
		line[i] = ' '
	}
	line[n-1] = '\n'
	return line
}

// logger is the state of a log: where it is in time and in lines.
type logger struct {
	r      *rand.PCG
	now    time.Time // whole seconds
	millis int
	second []byte // now as text up to the point before the milliseconds
	number int64
}

func (l *logger) formatSecond() { l.second = l.now.AppendFormat(l.second[:0], "2006-01-02T15:04:05.") }

// head appends what all lines begin with.
func (l *logger) head(b []byte) []byte {
	bits := l.r.Uint64()
	l.millis += int(bits & 15)
	if l.millis >= 1000 {
		l.millis -= 1000
		l.now = l.now.Add(time.Second)
		l.formatSecond()
	}
	b = append(b, l.second...)
	b = append(b, byte('0'+l.millis/100), byte('0'+l.millis/10%10), byte('0'+l.millis%10), 'Z', ' ')
	b = append(b, levels[bits>>4&15]...)
	b = append(b, services[bits>>8&7]...)
	b = append(b, byte('1'+bits>>11&7))
	b = append(b, " req="...)
	b = appendHex(b, l.r.Uint64())
	b = append(b, " user="...)
	return append(strconv.AppendInt(b, 100_000_000+int64(bits>>16%900_000_000), 10), ' ')
}

// message appends what the line says.
func (l *logger) message(b []byte) []byte {
	switch kind := below(l.r, 32); {
	case kind < 20:
		return l.request(b)
	case kind < 27:
		return l.event(b)
	case kind < 31:
		return l.query(b)
	default:
		return l.trace(b)
	}
}

func (l *logger) request(b []byte) []byte {
	bits := l.r.Uint64()
	b = append(b, methods[bits&7]...)
	b = append(b, paths[bits>>3&15]...)
	b = strconv.AppendUint(b, bits>>8&0xfffff, 10)
	b = append(b, statuses[bits>>28&15]...)
	b = appendMillis(b, bits>>32&0x3ffff)
	b = append(b, " bytes="...)
	return strconv.AppendUint(b, bits>>50, 10)
}

func (l *logger) event(b []byte) []byte {
	bits := l.r.Uint64()
	b = append(b, `event {"type":"`...)
	b = append(b, events[bits&7]...)
	b = append(b, `","id":`...)
	b = strconv.AppendUint(b, bits>>8&0xffffff, 10)
	b = append(b, `,"name":"`...)
	b = append(b, firstNames[bits>>32&15]...)
	b = append(b, ' ')
	b = append(b, lastNames[bits>>36&15]...)
	b = append(b, `","total":"`...)
	b = strconv.AppendUint(b, bits>>40&0x3fff, 10)
	b = append(b, `.90","tags":["`...)
	b = append(b, tags[bits>>54&7]...)
	b = append(b, `","`...)
	b = append(b, tags[bits>>57&7]...)
	return append(b, `"],"ok":true}`...)
}

func (l *logger) query(b []byte) []byte {
	bits := l.r.Uint64()
	b = append(b, "slow query ("...)
	b = appendMillis(b, 250_000+bits&0xfffff)
	b = append(b, "): SELECT * FROM "...)
	b = append(b, tables[bits>>20&7]...)
	b = append(b, " WHERE id = "...)
	b = strconv.AppendUint(b, bits>>24&0xffffff, 10)
	b = append(b, " ORDER BY created_at DESC LIMIT "...)
	return strconv.AppendUint(b, 1+bits>>48&127, 10)
}

func (l *logger) trace(b []byte) []byte {
	bits := l.r.Uint64()
	b = append(b, "upstream 10."...)
	b = strconv.AppendUint(b, bits&255, 10)
	b = append(b, '.')
	b = strconv.AppendUint(b, bits>>8&255, 10)
	b = append(b, ".7:8443 timed out after "...)
	b = appendMillis(b, bits>>16&0xffffff)
	b = append(b, ` at handler.(*Orders).Create(0xc000`...)
	b = appendHex(b, l.r.Uint64())
	return append(b, `) /srv/app/internal/handler/orders.go:214`...)
}

// hexPairs holds the two digits of each byte.
var hexPairs = func() (pairs [256][2]byte) {
	const digits = "0123456789abcdef"
	for i := range pairs {
		pairs[i] = [2]byte{digits[i>>4], digits[i&15]}
	}
	return pairs
}()

// appendHex appends the 16 hexadecimal digits of v. A log spends much of its time
// in identifiers, so it goes by bytes and not by digits.
func appendHex(b []byte, v uint64) []byte {
	var text [16]byte
	for i := 14; i >= 0; i -= 2 {
		*(*[2]byte)(text[i:]) = hexPairs[byte(v)]
		v >>= 8
	}
	return append(b, text[:]...)
}

// appendMillis appends a duration given in microseconds as milliseconds.
func appendMillis(b []byte, micros uint64) []byte {
	b = strconv.AppendUint(b, micros/1000, 10)
	rest := micros % 1000
	b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	return append(b, "ms"...)
}

// wrap puts what was done before an error, if there is one.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
