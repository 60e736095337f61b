package value

import (
	"math/big"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// Unit is a unit of the calendar or the clock.
type Unit uint8

// The units, from the largest on. Those up to Day are of the calendar.
const (
	Century Unit = iota
	Decade
	Year
	Quarter
	Month
	Week
	Day
	Hour
	Minute
	Second
	Millisecond
	Microsecond
	DayOfWeek    // from 0 for Sunday
	IsoDayOfWeek // from 1 for Monday
	DayOfYear
	Epoch // seconds since the beginning of 1970
)

// unitNames has the names of each unit. The first one is canonical.
var unitNames = [...][]string{
	Century: {"century"}, Decade: {"decade"}, Year: {"year", "y"}, Quarter: {"quarter"}, Month: {"month", "mon"},
	Week: {"week", "w"},
	Day:  {"day", "d"}, Hour: {"hour", "h", "hr"}, Minute: {"minute", "min", "m"}, Second: {"second", "sec", "s"},
	Millisecond: {"millisecond", "ms", "msec"}, Microsecond: {"microsecond", "us", "usec"},
	DayOfWeek:    {"dow", "dayofweek"},
	IsoDayOfWeek: {"isodow", "weekday"}, DayOfYear: {"doy", "dayofyear"}, Epoch: {"epoch"},
}

// UnitOf returns the unit of a name, also of one in the plural.
func UnitOf(name string) (u Unit, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "centuries" {
		return Century, true
	}
	for u, names := range unitNames {
		for _, n := range names {
			if n == name || n+"s" == name {
				return Unit(u), true
			}
		}
	}
	return 0, false
}

// UnitNames returns the names of the units, for messages.
func UnitNames() (names []string) {
	for _, n := range unitNames {
		names = append(names, n[0])
	}
	return names
}

// Divides reports whether times can be cut off at the unit.
func (u Unit) Divides() bool { return u <= Microsecond }

func (u Unit) String() string { return unitNames[u][0] }

// Interval is a length of time. Months have no fixed length, and are counted by the calendar.
type Interval struct {
	Months      int
	Nanoseconds int64
}

// unitInterval is the length of each unit.
var unitInterval = [...]Interval{Century: {Months: 1200}, Decade: {Months: 120}, Year: {Months: 12},
	Quarter: {Months: 3}, Month: {Months: 1}, Week: {Nanoseconds: int64(7 * 24 * time.Hour)},
	Day: {Nanoseconds: int64(24 * time.Hour)}, Hour: {Nanoseconds: int64(time.Hour)},
	Minute: {Nanoseconds: int64(time.Minute)}, Second: {Nanoseconds: int64(time.Second)},
	Millisecond: {Nanoseconds: int64(time.Millisecond)}, Microsecond: {Nanoseconds: int64(time.Microsecond)}}

// longest is the most years that an interval may have, and 24 hours of a day each.
const longest = 10_000

// AddTo adds n units to the interval. ok is false if that is no length, or one that is too long.
func (u Unit) AddTo(i *Interval, n decimal.Number) (ok bool) {
	if !u.Divides() || n.IsInfinite() || n.IsNaN() {
		return false
	}
	of := unitInterval[u]
	if of.Months > 0 {
		whole, exact, ok := n.Mul(decimal.FromPlain(int64(of.Months), 0)).Mantissa(0)
		if !ok || !exact || whole < -12*longest || whole > 12*longest {
			return false
		}
		i.Months += int(whole)
		return true
	}
	whole, _, ok := n.Mul(decimal.FromPlain(of.Nanoseconds, 0)).Mantissa(0)
	if sum := i.Nanoseconds + whole; ok && sum-whole == i.Nanoseconds && (sum < i.Nanoseconds) == (whole < 0) {
		i.Nanoseconds = sum
		return true
	}
	return false
}

// Neg returns the interval backwards.
func (i Interval) Neg() Interval { return Interval{-i.Months, -i.Nanoseconds} }

// Seconds returns the length in seconds; ok is false if it has months.
func (i Interval) Seconds() (n decimal.Number, ok bool) {
	return decimal.FromPlain(i.Nanoseconds, nanoDigits), i.Months == 0
}

// nanoDigits is the scale of nanoseconds.
const nanoDigits = 9

// Add returns the time an interval later. A day that a month lacks becomes its last one. ok is false beyond the years
// from 0 to 9999. A date stays one if only days are added.
func (t Time) Add(i Interval) (sum Time, ok bool) {
	const dayNanos = int64(24 * time.Hour)
	sum = t
	if i.Months != 0 {
		months := t.year*12 + t.month - 1 + i.Months
		if months < 0 || months >= longest*12 {
			return t, false
		}
		sum.year, sum.month = months/12, months%12+1
		sum.day = min(t.day, daysIn(sum.year, sum.month))
	}
	if i.Nanoseconds == 0 {
		return sum, true
	}
	zone := sum.offset
	sum.offset = 0
	days, rest := i.Nanoseconds/dayNanos, i.Nanoseconds%dayNanos
	moment := sum.Standard().AddDate(0, 0, int(days)).Add(time.Duration(rest))
	if y := moment.Year(); y < 0 || y >= longest {
		return t, false
	}
	clock := t.clock || rest != 0
	sum = ofStandard(moment)
	sum.clock, sum.offset = clock, zone
	return sum, true
}

// ofStandard returns a time of package time, of UTC.
func ofStandard(moment time.Time) Time {
	t := Time{clock: true, hour: moment.Hour(), minute: moment.Minute(), second: moment.Second()}
	year, month, day := moment.Date()
	t.year, t.month, t.day = year, int(month), day
	if n := moment.Nanosecond(); n > 0 {
		t.fraction = trimZeros(digits(n, nanoDigits))
	}
	return t
}

func trimZeros(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// Trunc returns the beginning of the unit in which a time is, in its own zone.
func (t Time) Trunc(u Unit) Time {
	switch u {
	case Century:
		t.year, t.month, t.day = t.year-(t.year+99)%100, 1, 1
	case Decade:
		t.year, t.month, t.day = t.year-t.year%10, 1, 1
	case Year:
		t.month, t.day = 1, 1
	case Quarter:
		t.month, t.day = (t.month-1)/3*3+1, 1
	case Month:
		t.day = 1
	case Week:
		if back := t.weekday() - 1; back < t.day {
			t.day -= back
		} else {
			earlier := time.Date(t.year, time.Month(t.month), t.day-back, 0, 0, 0, 0, time.UTC)
			year, month, day := earlier.Date()
			t.year, t.month, t.day = max(year, 0), int(month), day
		}
	}
	if u <= Minute {
		t.second = 0
	}
	if u <= Hour {
		t.minute = 0
	}
	if u <= Day {
		t.hour = 0
	}
	switch u {
	case Millisecond:
		t.fraction = trimZeros(t.fraction[:min(len(t.fraction), 3)])
	case Microsecond:
		t.fraction = trimZeros(t.fraction[:min(len(t.fraction), 6)])
	default:
		t.fraction = nil
	}
	return t
}

// weekday returns the day of the week, from 1 for Monday to 7.
func (t Time) weekday() int { return int((t.days()+2)%7) + 1 }

// dayOfYear returns the day of the year, from 1.
func (t Time) dayOfYear() int {
	return int(t.days()-Time{year: t.year, month: 1, day: 1}.days()) + 1
}

// Part returns a part of the time as a number, that of the unit within the next larger one that people count it in.
// A part below seconds includes them, as in SQL.
func (t Time) Part(u Unit) decimal.Number {
	whole := func(n int) decimal.Number { return decimal.FromPlain(int64(n), 0) }
	switch u {
	case Century:
		return whole((t.year + 99) / 100)
	case Decade:
		return whole(t.year / 10)
	case Year:
		return whole(t.year)
	case Quarter:
		return whole((t.month + 2) / 3)
	case Month:
		return whole(t.month)
	case Week:
		_, week := time.Date(t.year, time.Month(t.month), t.day, 0, 0, 0, 0, time.UTC).ISOWeek()
		return whole(week)
	case Day:
		return whole(t.day)
	case Hour:
		return whole(t.hour)
	case Minute:
		return whole(t.minute)
	case Second:
		return whole(t.second)
	case Millisecond, Microsecond:
		size := 3
		if u == Microsecond {
			size = 6
		}
		return whole(t.second*int(powerOfTen(size)) + t.part(size))
	case DayOfWeek:
		return whole(t.weekday() % 7)
	case IsoDayOfWeek:
		return whole(t.weekday())
	case DayOfYear:
		return whole(t.dayOfYear())
	}
	return t.Epoch()
}

// part returns the first digits of the fraction as a number.
func (t Time) part(size int) (n int) {
	for i := range size {
		n *= 10
		if i < len(t.fraction) {
			n += int(t.fraction[i] - '0')
		}
	}
	return n
}

func powerOfTen(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// epochSeconds is what seconds is at the beginning of 1970.
var epochSeconds = Time{year: 1970, month: 1, day: 1}.seconds()

// Epoch returns the exact number of seconds since the beginning of 1970.
func (t Time) Epoch() decimal.Number {
	seconds := decimal.FromPlain(t.seconds()-epochSeconds, 0)
	if len(t.fraction) == 0 {
		return seconds
	}
	fraction, _ := new(big.Int).SetString(string(t.fraction), 10)
	return seconds.Add(decimal.FromBig(fraction, len(t.fraction)))
}

// Since returns the exact number of seconds between two times.
func (t Time) Since(o Time) decimal.Number {
	if len(t.fraction)+len(o.fraction) == 0 {
		return decimal.FromPlain(t.seconds()-o.seconds(), 0)
	}
	return t.Epoch().Sub(o.Epoch())
}

// OfEpoch returns the time so many seconds, times 10^-scale, after the beginning of 1970, rounded down to
// nanoseconds. ok is false beyond the years from 0 to 9999.
func OfEpoch(seconds decimal.Number, scale int) (t Time, ok bool) {
	if seconds.IsInfinite() || seconds.IsNaN() {
		return t, false
	}
	whole, _, ok := seconds.Mantissa(0)
	per := powerOfTen(scale)
	const most = int64(longest) * 366 * 24 * 3600
	if !ok || whole/per > most || whole/per < -most {
		return t, false
	}
	units := floorDiv(whole, per)
	rest := seconds.Sub(decimal.FromPlain(units*per, 0))
	nanos, _, _ := rest.Mantissa(nanoDigits - scale)
	moment := time.Unix(units, nanos).UTC()
	if y := moment.Year(); y < 0 || y >= longest {
		return t, false
	}
	return ofStandard(moment), true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Days returns the time without its time of day.
func (t Time) Days() Time {
	return Time{year: t.year, month: t.month, day: t.day}
}

// Clock returns the time with a time of day, midnight if there is none.
func (t Time) Clock() Time {
	t.clock = true
	return t
}

// AppendText appends the time as SQL writes it, with its zone unless that is UTC: 2026-11-23, or
// 2026-11-23 10:35:07.25+01:00.
func (t Time) AppendText(b []byte) []byte {
	b = appendTwo(appendTwo(b, t.year/100), t.year%100)
	b = appendTwo(append(b, '-'), t.month)
	b = appendTwo(append(b, '-'), t.day)
	if !t.clock {
		return b
	}
	b = appendTwo(append(b, ' '), t.hour)
	b = appendTwo(append(b, ':'), t.minute)
	b = appendTwo(append(b, ':'), t.second)
	if len(t.fraction) > 0 {
		b = append(append(b, '.'), t.fraction...)
	}
	if t.offset == 0 {
		return b
	}
	sign, offset := byte('+'), t.offset
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return appendTwo(append(appendTwo(append(b, sign), offset/60), ':'), offset%60)
}

// appendTwo appends a number of two digits.
func appendTwo(b []byte, number int) []byte {
	return append(b, byte('0'+number/10), byte('0'+number%10))
}

// UnitsSince returns how many times a unit begins after an earlier time, up to this one. Weeks are seven days from the
// day of the earlier time on, as in DuckDB.
func (t Time) UnitsSince(earlier Time, u Unit) decimal.Number {
	if u == Week {
		return decimal.FromPlain((t.days()-earlier.days())/7, 0)
	}
	return t.count(u).Sub(earlier.count(u))
}

// count returns how many times a unit began since a moment that is the same for all times.
func (t Time) count(u Unit) decimal.Number {
	whole := func(n int) decimal.Number { return decimal.FromPlain(int64(n), 0) }
	const monthsOfYear = 12
	switch u {
	case Century:
		return t.Part(Century)
	case Decade, Year, Quarter, Month:
		return whole((t.year*monthsOfYear + t.month - 1) / unitInterval[u].Months)
	case Day:
		return whole(int(t.days()))
	}
	units := t.Epoch()
	if u == Hour || u == Minute {
		floor, _, _ := units.Mantissa(0)
		return decimal.FromPlain(floorDiv(floor, unitInterval[u].Nanoseconds/int64(time.Second)), 0)
	}
	scale := map[Unit]int{Second: 0, Millisecond: 3, Microsecond: 6}[u]
	floor, _, _ := units.Mantissa(scale)
	return decimal.FromPlain(floor, 0)
}

// IsUTC reports whether the zone is UTC, or none was given.
func (t Time) IsUTC() bool { return t.offset == 0 }

// Moment is the same for times that are the same moment. Moments can be compared.
type Moment struct {
	seconds  int64
	fraction string
}

// Moment returns when the time is.
func (t Time) Moment() Moment { return Moment{t.seconds(), string(t.fraction)} }
