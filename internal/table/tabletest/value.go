package tabletest

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Null is a field, a value or a cell that is null. No text of a test is the same.
const Null = "\x00(null)\x00"

// Value is a text that is computed from the fields of a record, or null: the text that a user writes, and what
// it means.
type Value struct {
	Text    string
	Columns []int // from 1
	Of      func(fields []string) string
	isDate  bool // by its function
}

// Column is a field.
func Column(column int) Value {
	return Value{Text: fmt.Sprintf("$%d", column), Columns: []int{column},
		Of: func(fields []string) string { return fields[column-1] }}
}

// Part is the bytes [from, to) of a field, cut off at its end.
func Part(column, from, to int) Value {
	return Value{Text: fmt.Sprintf("$%d[%d:%d]", column, from, to),
		Columns: []int{column}, Of: func(fields []string) string {
			f := fields[column-1]
			if f == Null {
				return Null
			}
			return f[min(from, len(f)):min(to, len(f))]
		}}
}

// Match is what a group of a regular expression finds in a field; group 0 is all that it matches.
func Match(column int, pattern string, group int) Value {
	re := regexp.MustCompile(pattern)
	text := fmt.Sprintf("regexp_extract($%d, '%s', %d)", column, strings.ReplaceAll(pattern, "'", "''"), group)
	return Value{Text: text, Columns: []int{column}, Of: func(fields []string) string {
		f := fields[column-1]
		if f == Null {
			return Null
		}
		groups := re.FindStringSubmatch(f)
		if groups == nil {
			return Null
		}
		return groups[group]
	}}
}

// Literal is a number.
func Literal(text string) Value {
	return Value{Text: text, Of: func([]string) string { return text }}
}

// Operation is an arithmetic operation. If one side is not a number, the result is the first such side; but the
// difference of two times is a number of seconds.
// A quotient by zero is null, and so is what is computed from null.
func (v Value) Operation(sign string, o Value) Value {
	return Value{
		Text:    fmt.Sprintf("(%s %s %s)", v.Text, sign, o.Text),
		Columns: append(append([]int{}, v.Columns...), o.Columns...),
		Of: func(fields []string) string {
			left, right := v.Of(fields), o.Of(fields)
			if left == Null || right == Null {
				return Null
			}
			a, _, ok := parse(left)
			if t, isTime := parseTime(left); isTime && sign == "-" {
				if u, isTime := parseTime(right); isTime {
					seconds := new(big.Rat).SetInt64(t.Unix() - u.Unix())
					return decimalOf(seconds.Add(seconds, big.NewRat(int64(t.Nanosecond()-u.Nanosecond()), 1e9)))
				}
			}
			b, _, isNumber := parse(right)
			if t, isTime := parseTime(left); isTime && isNumber && v.isDate && (sign == "+" || sign == "-") {
				return addDays(left, t, b.value, sign)
			}
			if !ok {
				return left
			}
			ok = isNumber
			if !ok {
				return right
			}
			r := new(big.Rat)
			switch sign {
			case "+":
				r.Add(a.value, b.value)
			case "-":
				r.Sub(a.value, b.value)
			case "*":
				r.Mul(a.value, b.value)
			default:
				if b.value.Sign() == 0 {
					return Null
				}
				r.Quo(a.value, b.value)
				if !a.isFloat && !b.isFloat {
					return quotientText(r)
				}
			}
			if a.isFloat || b.isFloat {
				f, _ := r.Float64()
				return floatNotation(f)
			}
			return decimalOf(r)
		},
	}
}

// addDays returns the date so many days later or earlier; a part of a day leaves it as it is.
func addDays(text string, date time.Time, days *big.Rat, sign string) string {
	const most = 106_751 // in 64 bits of nanoseconds
	if !days.IsInt() || days.Cmp(big.NewRat(most, 1)) > 0 || days.Cmp(big.NewRat(-most, 1)) < 0 {
		return text
	}
	n := int(days.Num().Int64())
	if sign == "-" {
		n = -n
	}
	return date.AddDate(0, 0, n).Format(time.DateOnly)
}

// floatNotation writes a float with an exponent, which is what makes it one. As a text, textOf takes it away.
func floatNotation(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) + floatMark }

// floatMark is written after the digits of floats that are computed. No text of a test ends with it.
const floatMark = "e0000"

// textOf is what a value is as a text.
func textOf(value string) string { return strings.TrimSuffix(value, floatMark) }

// decimalOf writes a decimal without zeros at its end.
func decimalOf(r *big.Rat) string {
	for digits := 0; ; digits++ {
		text := r.FloatString(digits)
		if again, _ := new(big.Rat).SetString(text); again.Cmp(r) == 0 {
			return text
		}
	}
}

// quotientText writes a fraction with 18 significant digits, or with all digits before the point if
// they are more, without zeros at its end. A tie goes to the even digit.
func quotientText(r *big.Rat) string {
	if r.Sign() == 0 {
		return "0"
	}
	for digits := 400; ; digits-- {
		text := roundEven(r, digits)
		significant := strings.TrimLeft(strings.Replace(strings.TrimPrefix(text, "-"), ".", "", 1), "0")
		if len(significant) <= 18 || digits == 0 {
			rounded, _ := new(big.Rat).SetString(text)
			return decimalOf(rounded)
		}
	}
}

// roundEven writes a fraction with some digits after the point; a tie goes to the even digit.
func roundEven(r *big.Rat, digits int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(scale))
	below, rest := new(big.Int).DivMod(scaled.Num(), scaled.Denom(), new(big.Int))
	twice := rest.Lsh(rest, 1).Cmp(scaled.Denom())
	if twice > 0 || twice == 0 && below.Bit(0) == 1 {
		below.Add(below, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(below, scale).FloatString(digits)
}

// times are the layouts of texts that are times.
var times = func() (layouts []string) {
	for _, clock := range []string{"15:04", "15:04:05"} {
		for _, between := range []string{"T", " ", "t"} {
			for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
				layouts = append(layouts, "2006-01-02"+between+clock+zone)
			}
		}
	}
	return append(layouts, time.DateOnly)
}()

func parseTime(text string) (at time.Time, ok bool) {
	for _, layout := range times {
		if at, err := time.Parse(layout, strings.Trim(text, " \t")); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// compareTexts orders texts: as times if both are times, and byte by byte otherwise.
func compareTexts(x, y string) int {
	if t, ok := parseTime(x); ok {
		if u, ok := parseTime(y); ok {
			return t.Compare(u)
		}
	}
	return strings.Compare(x, y)
}

// Call is a function of a value.
func (v Value) Call(function string) Value {
	isDate := function == "date"
	return Value{isDate: isDate, Text: fmt.Sprintf("%s(%s)", function, v.Text),
		Columns: v.Columns, Of: func(fields []string) string {
			text := v.Of(fields)
			n, _, isNumber := parse(text)
			at, isTime := parseTime(text)
			switch {
			case text == Null:
				return Null
			case function == "lower":
				return string(bytes.ToLower([]byte(textOf(text))))
			case function == "upper":
				return string(bytes.ToUpper([]byte(textOf(text))))
			case function == "length":
				return strconv.Itoa(utf8.RuneCountInString(textOf(text)))
			case function == "abs" && isNumber && n.isFloat:
				f, _ := n.value.Float64()
				return floatNotation(max(f, -f))
			case function == "abs" && isNumber:
				return decimalOf(n.value.Abs(n.value))
			case function == "abs":
				return text
			case !isTime:
				return Null
			}
			switch function {
			case "date":
				return at.Format(time.DateOnly)
			case "year":
				return at.Format("2006")
			case "quarter":
				return strconv.Itoa((int(at.Month()) + 2) / 3)
			case "month":
				return at.Format("01")
			case "day":
				return at.Format("02")
			case "weekday":
				return strconv.Itoa((int(at.Weekday())+6)%7 + 1)
			case "hour":
				return at.Format("15")
			case "minute":
				return at.Format("04")
			case "second":
				return at.Format("05")
			}
			panic("thresh: bug: no function " + function)
		}}
}
