package value

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"time"
)

// Time is a date, or a date and a time of day.
type Time struct {
	clock                bool // there is a time of day
	year, month, day     int
	hour, minute, second int
	fraction             []byte // digits of a second, without zeros at the end
	offset               int    // of the zone, in minutes
}

// ParseTime reads a time in one of the forms of ISO 8601:
//
//	2026-11-23    2026-11-23T10:35    2026-11-23 10:35:07    2026-11-23T10:35:07.25Z    ...+01:00
//
// Spaces around it are ignored, a second of 60 is a leap second, and a time without a zone counts as
// one of UTC. The fraction of the Time lies in text.
func ParseTime(text []byte) (t Time, ok bool) {
	if t, ok = usualTime(text); ok {
		return t, true
	}
	return anyTime(text)
}

// usualTime reads the two commonest forms: 2026-11-23, and 2026-11-23T10:35:07 or with a space. It leaves all other
// texts to anyTime, which defines what is right.
func usualTime(text []byte) (t Time, ok bool) {
	const date, clock = len("2026-11-23"), len("2026-11-23T10:35:07")
	if len(text) != date && len(text) != clock || text[4] != '-' || text[7] != '-' {
		return t, false
	}
	bad := byte(0)
	two := func(at int) int {
		high, low := text[at]-'0', text[at+1]-'0'
		if high > 9 || low > 9 {
			bad = 1
		}
		return int(high)*10 + int(low)
	}
	t = Time{year: two(0)*100 + two(2), month: two(5), day: two(8)}
	if bad != 0 || t.month-1 > 11 || t.month == 0 || t.day == 0 || t.day > daysIn(t.year, t.month) {
		return t, false
	}
	if len(text) == date {
		return t, true
	}
	if text[10] != 'T' && text[10] != ' ' || text[13] != ':' || text[16] != ':' {
		return t, false
	}
	t.clock, t.hour, t.minute, t.second = true, two(11), two(14), two(17)
	return t, bad == 0 && t.hour < 24 && t.minute < 60 && t.second <= 60
}

// anyTime is ParseTime for all forms.
func anyTime(text []byte) (t Time, ok bool) {
	r := timeReader{rest: bytes.Trim(text, " \t")}
	t.year = r.number(4, 0, 9999)
	r.one("-")
	t.month = r.number(2, 1, 12)
	r.one("-")
	t.day = r.number(2, 1, 31)
	if r.bad || t.day > daysIn(t.year, t.month) {
		return Time{}, false
	}
	if len(r.rest) == 0 {
		return t, true
	}
	t.clock = true
	r.one("T t")
	t.hour = r.number(2, 0, 23)
	r.one(":")
	t.minute = r.number(2, 0, 59)
	if r.next(":") {
		t.second = r.number(2, 0, 60)
		if r.next(".,") {
			t.fraction = bytes.TrimRight(r.digits(), "0")
		}
	}
	t.offset = r.zone()
	if r.bad || len(r.rest) > 0 {
		return Time{}, false
	}
	return t, true
}

// Standard returns the moment as package time has it.
func (t Time) Standard() time.Time {
	nanoseconds := 0
	for i := range 9 {
		nanoseconds *= 10
		if i < len(t.fraction) {
			nanoseconds += int(t.fraction[i] - '0')
		}
	}
	zone := time.UTC
	if t.offset != 0 {
		zone = time.FixedZone("", t.offset*60)
	}
	return time.Date(t.year, time.Month(t.month), t.day, t.hour, t.minute, t.second, nanoseconds, zone)
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && (year%4 != 0 || year%100 == 0 && year%400 != 0):
		return 28
	case month == 2:
		return 29
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// timeReader reads the parts of a time. After the first error, bad is true.
type timeReader struct {
	rest []byte
	bad  bool
}

// next reads one of the bytes, if one of them comes next.
func (r *timeReader) next(bytesOf string) bool {
	if len(r.rest) == 0 || bytes.IndexByte([]byte(bytesOf), r.rest[0]) < 0 {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *timeReader) one(bytesOf string) { r.bad = !r.next(bytesOf) || r.bad }

// number reads a number of n digits.
func (r *timeReader) number(n, low, high int) (number int) {
	if len(r.rest) < n {
		r.bad = true
		return 0
	}
	for _, c := range r.rest[:n] {
		r.bad = r.bad || c-'0' > 9
		number = number*10 + int(c-'0')
	}
	r.rest = r.rest[n:]
	r.bad = r.bad || number < low || number > high
	return number
}

// digits reads one digit or more.
func (r *timeReader) digits() []byte {
	n := 0
	for n < len(r.rest) && r.rest[n]-'0' <= 9 {
		n++
	}
	r.bad = r.bad || n == 0
	digits := r.rest[:n]
	r.rest = r.rest[n:]
	return digits
}

// zone reads Z, +01:00, +0100 or +01, or nothing.
func (r *timeReader) zone() (minutes int) {
	if len(r.rest) == 0 || r.next("Zz") {
		return 0
	}
	negative := r.rest[0] == '-'
	r.one("+-")
	minutes = r.number(2, 0, 23) * 60
	if r.next(":") || len(r.rest) > 0 {
		minutes += r.number(2, 0, 59)
	}
	if negative {
		return -minutes
	}
	return minutes
}

// Compare orders times by the moment they are.
func (t Time) Compare(o Time) int {
	return cmp.Or(cmp.Compare(t.seconds(), o.seconds()), bytes.Compare(t.fraction, o.fraction))
}

// AppendOrdered appends bytes that compare as the moments do. No encoding is the beginning of another one.
func (t Time) AppendOrdered(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.seconds())^1<<63)
	return append(append(b, t.fraction...), 0)
}

// CutOrdered removes what AppendOrdered has appended from the beginning of a text.
func CutOrdered(b []byte) (rest []byte) {
	const secondsBytes = 8
	return b[secondsBytes+bytes.IndexByte(b[secondsBytes:], 0)+1:]
}

// seconds returns a number of seconds that grows with the moment.
func (t Time) seconds() int64 {
	return t.days()*24*3600 + int64(t.hour)*3600 + int64(t.minute-t.offset)*60 + int64(t.second)
}

// days returns the number of days since the first of March of the year 0.
func (t Time) days() int64 {
	year, month := t.year, t.month-3
	if month < 0 { // so that the day that leap years have in addition is the last one
		year, month = year-1, month+12
	}
	year += 400 // not negative
	return int64(year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 + t.day - 1)
}

// HasClock reports whether there is a time of day.
func (t Time) HasClock() bool { return t.clock }

// Date returns the date as in ISO 8601.
func (t Time) Date() []byte {
	return t.Days().AppendText(make([]byte, 0, len("2026-11-23")))
}

// The parts of a time have so many digits that they sort as texts.

// Year returns the year.
func (t Time) Year() []byte { return digits(t.year, 4) }

// Quarter returns the quarter of the year, from 1.
func (t Time) Quarter() []byte { return digits((t.month+2)/3, 1) }

// Month returns the month, from 01.
func (t Time) Month() []byte { return digits(t.month, 2) }

// Day returns the day of the month, from 01.
func (t Time) Day() []byte { return digits(t.day, 2) }

// Weekday returns the day of the week, from 1 for Monday to 7.
func (t Time) Weekday() []byte {
	day := time.Date(t.year, time.Month(t.month), t.day, 0, 0, 0, 0, time.UTC).Weekday()
	return digits((int(day)+6)%7+1, 1)
}

// Hour returns the hour of the day.
func (t Time) Hour() []byte { return digits(t.hour, 2) }

// Minute returns the minute of the hour.
func (t Time) Minute() []byte { return digits(t.minute, 2) }

// Second returns the second of the minute, which may be 60.
func (t Time) Second() []byte { return digits(t.second, 2) }

// digits writes a number with at least n digits.
func digits(number, n int) []byte {
	text := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		text[i] = byte('0' + number%10)
		number /= 10
	}
	return text
}
