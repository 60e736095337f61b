package tabletest

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Value is a text that is computed from the fields of a record: the text that a user writes, and what
// it means.
type Value struct {
	Text    string
	Columns []int // from 1
	Of      func(fields []string) string
}

// Column is a field.
func Column(column int) Value {
	return Value{fmt.Sprintf("$%d", column), []int{column}, func(fields []string) string { return fields[column-1] }}
}

// Part is the bytes [from, to) of a field, cut off at its end.
func Part(column, from, to int) Value {
	return Value{fmt.Sprintf("$%d[%d:%d]", column, from, to), []int{column}, func(fields []string) string {
		f := fields[column-1]
		return f[min(from, len(f)):min(to, len(f))]
	}}
}

// Literal is a number.
func Literal(text string) Value {
	return Value{text, nil, func([]string) string { return text }}
}

// Operation is an arithmetic operation. If one side is not a number, the result is the first such side.
// A quotient by zero is empty.
func (v Value) Operation(sign string, o Value) Value {
	return Value{
		Text:    fmt.Sprintf("(%s %s %s)", v.Text, sign, o.Text),
		Columns: append(append([]int{}, v.Columns...), o.Columns...),
		Of: func(fields []string) string {
			left, right := v.Of(fields), o.Of(fields)
			a, _, ok := parse(left)
			if !ok {
				return left
			}
			b, _, ok := parse(right)
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
					return ""
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

// floatNotation writes a float with an exponent, which is what makes it one.
func floatNotation(f float64) string {
	text := floatText(f)
	if !strings.Contains(text, "e") {
		text += "e0"
	}
	return text
}

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

// Call is a function of a value.
func (v Value) Call(function string) Value {
	return Value{fmt.Sprintf("%s(%s)", function, v.Text), v.Columns, func(fields []string) string {
		text := v.Of(fields)
		n, _, isNumber := parse(text)
		at, isTime := parseTime(text)
		switch {
		case function == "lower":
			return string(bytes.ToLower([]byte(text)))
		case function == "upper":
			return string(bytes.ToUpper([]byte(text)))
		case function == "length":
			return strconv.Itoa(utf8.RuneCountInString(text))
		case function == "abs" && isNumber && n.isFloat:
			f, _ := n.value.Float64()
			return floatNotation(max(f, -f))
		case function == "abs" && isNumber:
			return decimalOf(n.value.Abs(n.value))
		case function == "abs":
			return text
		case !isTime:
			return ""
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
