package expr

import (
	"bytes"
	"cmp"
	"time"
)

// Time is a date, or a date and a time of day.
type Time struct {
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
		r.bad = r.bad || !isDigit(c)
		number = number*10 + int(c-'0')
	}
	r.rest = r.rest[n:]
	r.bad = r.bad || number < low || number > high
	return number
}

// digits reads one digit or more.
func (r *timeReader) digits() []byte {
	n := 0
	for n < len(r.rest) && isDigit(r.rest[n]) {
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

func (t Time) date() []byte {
	b := append(digits(t.year, 4), '-')
	b = append(append(b, digits(t.month, 2)...), '-')
	return append(b, digits(t.day, 2)...)
}

// weekday returns the day of the week, from 1 for Monday to 7.
func (t Time) weekday() int {
	day := time.Date(t.year, time.Month(t.month), t.day, 0, 0, 0, 0, time.UTC).Weekday()
	return (int(day)+6)%7 + 1
}
