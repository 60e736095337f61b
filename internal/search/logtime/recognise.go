package logtime

import (
	"bytes"
	"strings"
	"time"
)

// recognised lists the ways of writing times that are recognised.
var recognised = []parser{object, opened(iso), apache, opened(syslog), opened(dayFirst), klog, opened(unix)}

// opened reads a time after what may stand before it.
func opened(parse parser) parser {
	return func(line []byte, z *zones) (stamp, bool) {
		n := opening(line)
		s, ok := parse(line[n:], z)
		s.bytes += n
		if ok && z.pieces != nil {
			z.pieces.addDay(line, n)
		}
		return s, ok
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// reader reads a text from its start. After the first mistake it reads nothing more.
type reader struct {
	b      []byte
	at     int
	bad    bool
	pieces *pieces // gets what is read, if it is not nil
}

// number reads so many digits, which are a piece of a time of a kind.
func (r *reader) number(kind byte, digits int) (n int) {
	if r.bad || len(r.b)-r.at < digits {
		r.bad = true
		return 0
	}
	for _, c := range r.b[r.at : r.at+digits] {
		if !isDigit(c) {
			r.bad = true
			return 0
		}
		n = 10*n + int(c-'0')
	}
	r.at += digits
	r.mark(kind, r.at-digits)
	return n
}

// short reads one or two digits.
func (r *reader) short(kind byte) int { return r.number(kind, min(max(r.digits(), 1), 2)) }

// mark notes that a piece of a time was read.
func (r *reader) mark(kind byte, from int) {
	if r.pieces != nil {
		r.pieces.add(r.b, kind, from, r.at)
	}
}

// any reads one of some bytes, or returns 0.
func (r *reader) any(of string) byte {
	if r.bad || r.at == len(r.b) || strings.IndexByte(of, r.b[r.at]) < 0 {
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

// need reads one of some bytes.
func (r *reader) need(of string) byte {
	c := r.any(of)
	r.bad = r.bad || c == 0
	return c
}

// digits returns how many digits follow.
func (r *reader) digits() (n int) {
	for !r.bad && r.at+n < len(r.b) && isDigit(r.b[r.at+n]) {
		n++
	}
	return n
}

// fraction reads digits after a point as nanoseconds.
func (r *reader) fraction() (nanos int) {
	scale := int(time.Second)
	for r.at < len(r.b) && isDigit(r.b[r.at]) {
		scale /= 10
		nanos += scale * int(r.b[r.at]-'0')
		r.at++
	}
	return nanos
}

const (
	months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	days   = "MonTueWedThuFriSatSun"
)

// name reads the name of a month or of a day, of which only the kinds B and A have more than three letters, and returns
// its place in the list, from 0 on.
func (r *reader) name(kind byte, list string) int {
	from, three := r.at, 3
	if r.bad || len(r.b)-r.at < three {
		r.bad = true
		return 0
	}
	b := r.b[r.at : r.at+three]
	i := strings.Index(list, string([]byte{b[0] &^ 0x20, b[1] | 0x20, b[2] | 0x20}))
	if i < 0 || i%three != 0 {
		r.bad = true
		return 0
	}
	r.at += three
	rest := ""
	switch i /= three; kind {
	case 'B':
		rest = time.Month(i + 1).String()[three:]
	case 'A':
		rest = time.Weekday((i + 1) % 7).String()[three:]
	}
	if len(r.b)-r.at < len(rest) || !strings.EqualFold(string(r.b[r.at:r.at+len(rest)]), rest) {
		r.bad = true
		return 0
	}
	r.at += len(rest)
	r.mark(kind, from)
	return i
}

// month reads the name of a month.
func (r *reader) month() time.Month { return time.Month(r.name('b', months) + 1) }

// anyMonth reads the name or the number of a month.
func (r *reader) anyMonth() time.Month {
	if r.at < len(r.b) && isLetter(r.b[r.at]) {
		return r.month()
	}
	return time.Month(r.short('m'))
}

// clock is a time of day.
type clock struct{ hour, minute, second, nanos int }

// clock reads hours and minutes, and, if they follow, seconds, their fraction, and AM or PM. Behind a comma a
// fraction has 3, 6 or 9 digits: it may be the next field of a table; after a colon, and without colons, it has 3.
func (r *reader) clock(colon bool) (c clock) {
	sep := func() bool { return !colon && r.digits() >= 2 || colon && r.any(":") != 0 }
	if colon {
		c.hour = r.short('H')
	} else {
		c.hour = r.number('H', 2)
	}
	if !sep() {
		r.bad = true
	}
	c.minute = r.number('M', 2)
	if !r.bad && sep() {
		if c.second = r.number('S', 2); !colon && r.digits() == 3 {
			c.nanos = r.fraction()
		} else {
			c.nanos = r.subsecond("")
		}
	}
	r.half(&c)
	return c
}

// subsecond reads the fraction of a second, after one of some points, or, if they are not known, where it seems to be.
func (r *reader) subsecond(points string) (nanos int) {
	at, point := r.at, r.any(".,:")
	switch n := r.digits(); {
	case point == 0:
		return 0
	case n > 0 && (strings.IndexByte(points, point) >= 0 || points == "" && (point == '.' ||
		point == ',' && (n == 3 || n == 6 || n == 9) ||
		point == ':' && n == 3 && (r.at+n == len(r.b) || !isWord(r.b[r.at+n])))):
		return r.fraction()
	}
	r.at = at
	return 0
}

// half reads AM or PM: of twelve hours, p, or P after the hours of a whole day.
func (r *reader) half(c *clock) {
	at := r.at
	if at < len(r.b) && r.b[at] == ' ' {
		at++
	}
	if r.bad || len(r.b) < at+2 || r.b[at+1]|0x20 != 'm' || len(r.b) > at+2 && isWord(r.b[at+2]) {
		return
	}
	switch half := r.b[at] | 0x20; {
	case half == 'p' && c.hour > 12: // 13:05 PM, as some programs write it
		r.at = at + 2
		r.mark('P', at)
	case half == 'p':
		c.hour = c.hour%12 + 12
		r.at = at + 2
		r.mark('p', at)
	case half == 'a' && c.hour <= 12:
		c.hour %= 12
		r.at = at + 2
		r.mark('p', at)
	}
}

// stamp returns the time that was read, with the zone that follows. Of the year 0 it is one without a year.
func (r *reader) stamp(year int, month time.Month, day int, c clock, z *zones) (stamp, bool) {
	if r.bad {
		return stamp{}, false
	}
	found := z.read(r.b[r.at:])
	r.at += found.bytes
	r.mark('z', r.at-found.bytes)
	if year == 0 {
		year = r.yearAfter()
	}
	return r.time(year, month, day, c, found, z)
}

// time returns the time that was read, in a zone.
func (r *reader) time(year int, month time.Month, day int, c clock, found zone, z *zones) (stamp, bool) {
	if month < 1 || month > 12 || day < 1 || c.hour > 23 || c.minute > 59 || c.second > 60 {
		return stamp{}, false
	}
	in := found.in
	switch {
	case z.walls || year == 0:
		in = time.UTC
	case in == nil:
		in = z.local
	}
	t := time.Date(year, month, day, c.hour, c.minute, c.second, c.nanos, in)
	return stamp{t, year == 0, r.at, found}, exists(year, month, day)
}

// yearAfter reads the year after the time of day, as ctime and date write it; 0 if there is none.
func (r *reader) yearAfter() int {
	at := r.at
	if r.any(" ") != 0 && r.digits() == 4 {
		year := r.number(0, 4)
		if 1970 <= year && year < 2100 && (r.at == len(r.b) || bytes.IndexByte([]byte(" ]:\t"), r.b[r.at]) >= 0) {
			r.mark('Y', r.at-4)
			return year
		}
	}
	r.at = at
	return 0
}

func exists(year int, month time.Month, day int) bool {
	return day <= 28 || day <= 31 && time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() == day
}

// iso reads ISO 8601 and its relatives: 2026-11-20T10:05:00.123+01:00, with something else for the T,
// 2026/11/20 10:05:00, 2026 Nov 20 10:05:00, 20261120T100500Z, 20261120100500123.
func iso(line []byte, z *zones) (stamp, bool) {
	r := z.reader(line)
	year := r.number('Y', 4)
	sep := r.any("-/. ")
	if sep == 0 {
		month, day := r.number('m', 2), r.number('d', 2)
		if n := r.digits(); n != 6 && n != 9 {
			r.need("Tt _-")
		}
		colon := len(line) > r.at+2 && (line[r.at+1] == ':' || line[r.at+2] == ':')
		return r.stamp(year, time.Month(month), day, r.clock(colon), z)
	}
	month := r.anyMonth()
	r.need(string(rune(sep)))
	day := r.short('d')
	r.need("Tt _-:")
	return r.stamp(year, month, day, r.clock(true), z)
}

// apache reads the time of the common log format, [10/Oct/2000:13:55:36 -0700], after host and user.
func apache(line []byte, z *zones) (stamp, bool) {
	for at := 0; ; {
		i := bytes.IndexByte(line[at:], '[')
		if i < 0 {
			return stamp{}, false
		}
		at += i + 1
		if s, ok := dayFirst(line[at:], z); ok {
			s.bytes += at
			return s, true
		}
	}
}

// syslog reads the time of RFC 3164, which has no year: Oct  9 13:55:36. Some devices write it after the day.
func syslog(line []byte, z *zones) (stamp, bool) {
	r := z.reader(line)
	month := r.month()
	r.need(" ")
	digits, from := 2, r.at
	if r.any(" ") != 0 || len(line) > r.at+1 && line[r.at+1] == ' ' {
		digits = 1
	}
	day := r.number(0, digits)
	end := r.at
	r.any(",") // Java's own log: Nov 20, 2026 10:05:00 AM
	r.need(" ")
	year := 0
	if r.digits() == 4 {
		year = r.number('Y', 4)
		r.need(" ")
	}
	c := r.clock(true)
	if r.pieces != nil && !r.bad {
		kind := byte('e') // programs that write more than RFC 3164 says write a zero before days of one digit
		if year > 0 || bytes.IndexByte(line[end:r.at], '.') >= 0 {
			kind = 'd'
		}
		r.pieces.add(line, kind, from, end)
	}
	return r.stamp(year, month, day, c, z)
}

// unix reads seconds since 1970, also with a fraction, or milli-, micro- or nanoseconds. How many digits there
// are tells them apart.
func unix(line []byte, z *zones) (stamp, bool) {
	r := z.reader(line)
	digits := r.digits()
	n := int64(0)
	for _, c := range line[:digits] {
		if n > (1<<63-10)/10 {
			return stamp{}, false
		}
		n = 10*n + int64(c-'0')
	}
	r.at = digits
	var t time.Time
	switch digits {
	case 10:
		nanos := 0
		if r.any(".") != 0 {
			nanos = r.fraction()
		}
		t = time.Unix(n, int64(nanos))
	case 13:
		t = time.UnixMilli(n)
	case 16:
		t = time.UnixMicro(n)
	case 19:
		t = time.Unix(0, n)
	default:
		return stamp{}, false
	}
	if r.at < len(line) && isWord(line[r.at]) {
		return stamp{}, false
	}
	return stamp{t.In(z.local), false, r.at, zone{in: time.UTC}}, true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isDigit(c) || c == '_' || isLetter(c) }
