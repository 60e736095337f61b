package expr

import (
	"strings"

	"github.com/ncruces/go-strftime"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// ofTime makes a function of a time. That of a text that is none is null.
func ofTime(f func(t value.Time) value.Value) func(arg value.Value) value.Value {
	return func(arg value.Value) value.Value {
		if t, ok := value.ParseTime(arg.Text()); ok {
			return f(t)
		}
		return value.Value{}
	}
}

// part is a row of a part of a time, which has two digits, so that it sorts.
func part(name string, u value.Unit, f func(value.Time) []byte) function {
	return function{names: []string{name}, min: 1, max: 1, asked: Time, result: texts, unit: u, isPart: true,
		vector: timesBy(func(b []byte, t value.Time) []byte { return append(b, f(t)...) }),
		one:    ofTime(func(t value.Time) value.Value { return value.OfText(f(t)) })}
}

// whole is a row of a part of a time that is a number.
func numbered(name string, u value.Unit) function {
	return function{names: []string{name}, min: 1, max: 1, asked: Time, result: integers,
		one: partOf(u), vector: partsBy(u)}
}

func partOf(u value.Unit) func(arg value.Value) value.Value {
	return ofTime(func(t value.Time) value.Value { return value.OfNumber(t.Part(u)) })
}

func timeText(t value.Time) value.Value { return value.OfText(t.AppendText(nil)) }

// temporal are functions of times.
var temporal = []function{
	{names: []string{"date"}, min: 1, max: 1, asked: Time, result: dates,
		vector: timesBy(func(b []byte, t value.Time) []byte { return t.Days().AppendText(b) }),
		one:    ofTime(func(t value.Time) value.Value { return value.OfText(t.Date()) })},
	part("year", value.Year, value.Time.Year), part("quarter", value.Quarter, value.Time.Quarter),
	part("month", value.Month, value.Time.Month), part("day", value.Day, value.Time.Day),
	part("weekday", value.IsoDayOfWeek, value.Time.Weekday), part("hour", value.Hour, value.Time.Hour),
	part("minute", value.Minute, value.Time.Minute), part("second", value.Second, value.Time.Second),
	numbered("week", value.Week), numbered("dayofyear", value.DayOfYear), numbered("dayofweek", value.DayOfWeek),
	numbered("isodow", value.IsoDayOfWeek),
	{names: []string{"epoch"}, min: 1, max: 1, result: floats, one: func(arg value.Value) value.Value {
		if n, ok := arg.Number(); ok { // a difference of times
			return value.OfNumber(n)
		}
		return partOf(value.Epoch)(arg)
	}},
	{names: []string{"epoch_ms"}, min: 1, max: 1, result: func([]Type) Type { return Type{} },
		one: func(arg value.Value) value.Value {
			if n, ok := arg.Number(); ok {
				return fromEpoch(n, 3)
			}
			return ofTime(func(t value.Time) value.Value { return value.OfNumber(whole(t.Epoch().Mul(tenTo(3)), false)) })(arg)
		}},
	{names: []string{"to_timestamp"}, min: 1, max: 1, asked: Number, result: timestamps, one: ofEpoch(0)},
	{names: []string{"to_timestamp_ms"}, min: 1, max: 1, asked: Number, result: timestamps, one: ofEpoch(3)},
	{names: []string{"date_trunc"}, min: 2, max: 2, asked: Time, result: truncated,
		vector: byUnit(func(u value.Unit) func(v *Vector, args []Node) vectorNode {
			return timesBy(func(b []byte, t value.Time) []byte { return cutOff(t, u).AppendText(b) })
		}),
		prepare: ofUnit(func(u value.Unit) func(args []value.Value) value.Value {
			return last(ofTime(func(t value.Time) value.Value { return timeText(cutOff(t, u)) }))
		}, value.Unit.Divides)},
	{names: []string{"date_part", "datepart"}, min: 2, max: 2, asked: Time, result: integers,
		vector: byUnit(partsBy),
		prepare: ofUnit(func(u value.Unit) func(args []value.Value) value.Value { return last(partOf(u)) },
			func(value.Unit) bool { return true })},
	{names: []string{"date_diff", "datediff"}, min: 3, max: 3, asked: Time, result: integers,
		prepare: ofUnit(difference, value.Unit.Divides)},
	{names: []string{"dayname"}, min: 1, max: 1, asked: Time, result: texts, one: inFormOf("%A")},
	{names: []string{"monthname"}, min: 1, max: 1, asked: Time, result: texts, one: inFormOf("%B")},
	{names: []string{"date_add"}, min: 2, max: 2,
		node: func(args []Node) Node { return &operation{'+', args[0], args[1]} }},
	{names: []string{"strftime"}, min: 2, max: 2, asked: Time, result: texts, vector: inFormBy, prepare: inForm},
}

// inFormBy is inForm for a batch.
func inFormBy(v *Vector, args []Node) vectorNode {
	form, _ := constantText(args[1])
	node := timesBy(func(b []byte, t value.Time) []byte { return strftime.AppendFormat(b, form, t.Standard()) })
	return node(v, args[:1])
}

// inForm makes a function that writes times in a form of strftime.
func inForm(args []Node) (run func(args []value.Value) value.Value, wrong int, reason string) {
	form, ok := constantText(args[1])
	if !ok {
		return nil, 1, "a form in single quotes is missing here: '%Y-%m-%d'"
	}
	// Those that mean the same everywhere; a minus leaves out a leading zero.
	const known = "aAbBdfHIjmMpSuUVwWyYG%"
	for rest := form; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		after = strings.TrimPrefix(after, "-")
		if after == "" || !strings.Contains(known, after[:1]) {
			return nil, 1, "a form has %Y %m %d %H %M %S and others of " + known + ": no %" + after[:min(1, len(after))]
		}
		rest = after[1:]
	}
	return first(inFormOf(form)), 0, ""
}

// inFormOf makes a function that writes times in a form.
func inFormOf(form string) func(arg value.Value) value.Value {
	return ofTime(func(t value.Time) value.Value {
		return value.OfText(strftime.AppendFormat(nil, form, t.Standard()))
	})
}

// cutOff returns the beginning of the unit in which a time is: of an hour and what is smaller, with a time of day.
func cutOff(t value.Time, u value.Unit) value.Time {
	if u > value.Day {
		t = t.Clock()
	}
	return t.Trunc(u)
}

// truncated is the type of a time that was cut off.
func truncated(args []Type) Type {
	if args[1].Kind == Date {
		return args[1]
	}
	return Type{Kind: Timestamp}
}

func ofEpoch(scale int) func(arg value.Value) value.Value {
	return func(arg value.Value) value.Value {
		if n, ok := arg.Number(); ok {
			return fromEpoch(n, scale)
		}
		return value.Value{}
	}
}

func fromEpoch(n decimal.Number, scale int) value.Value {
	if t, ok := value.OfEpoch(n, scale); ok {
		return timeText(t)
	}
	return value.Value{}
}

// ofUnit makes a function whose first argument is a unit.
func ofUnit(of func(u value.Unit) func(args []value.Value) value.Value, fits func(value.Unit) bool) func(args []Node) (
	func(args []value.Value) value.Value, int, string) {
	return func(args []Node) (func(args []value.Value) value.Value, int, string) {
		name, ok := constantText(args[0])
		u, known := value.UnitOf(name)
		if !ok || !known || !fits(u) {
			return nil, 0, unitMissing(fits)
		}
		return of(u), 0, ""
	}
}

func unitMissing(fits func(value.Unit) bool) string {
	var names []string
	for _, name := range value.UnitNames() {
		if u, _ := value.UnitOf(name); fits(u) {
			names = append(names, name)
		}
	}
	return "a unit in single quotes is missing here: " + strings.Join(names, " ")
}

// difference returns how many units the second time is after the first one.
func difference(u value.Unit) func(args []value.Value) value.Value {
	return func(args []value.Value) value.Value {
		from, ok := value.ParseTime(args[1].Text())
		to, ok2 := value.ParseTime(args[2].Text())
		if !ok || !ok2 {
			return value.Value{}
		}
		return value.OfNumber(to.UnitsSince(from, u))
	}
}
