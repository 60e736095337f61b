package tabletest

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// decimalText is the syntax of a number. The second group is its exponent.
var decimalText = regexp.MustCompile(`\A([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([eE][+-]?[0-9]+)?\z`)

// number is a number: an exact decimal or, written with an exponent, the nearest float64.
type number struct {
	value    *big.Rat
	isFloat  bool
	decimals int // of a decimal: digits after the point, as written
}

// parse parses a number. missing is true for null. A text with an exponent that is beyond the range of float64 is
// not a number, nor is one of only spaces and tabs.
func parse(text string) (n number, missing, ok bool) {
	if text == Null {
		return number{}, true, false
	}
	text = strings.Trim(text, " \t")
	m := decimalText.FindStringSubmatch(text)
	if m == nil {
		return number{}, false, false
	}
	if m[2] != "" {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return number{}, false, false
		}
		return number{value: new(big.Rat).SetFloat64(f), isFloat: true}, false, true
	}
	sign, digits := "", m[1]
	if digits[0] == '-' || digits[0] == '+' {
		sign, digits = digits[:1], digits[1:]
	}
	whole, behind, _ := strings.Cut(digits, ".")
	mantissa, _ := new(big.Int).SetString(sign+whole+behind, 10)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(behind))), nil)
	return number{value: new(big.Rat).SetFrac(mantissa, scale), decimals: len(behind)}, false, true
}

// text returns a decimal with the given number of decimals, which must be enough; for a float, it
// returns the shortest text of the float64.
func (n number) text(decimals int) string {
	if n.isFloat {
		f, _ := n.value.Float64()
		return floatText(f)
	}
	return n.value.FloatString(decimals)
}

// floatText returns the shortest text that reads back as f. It has no exponent from 1e-6 up to, but
// not including, 1e21.
func floatText(f float64) string {
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(f, format, -1, 64)
}

// before orders numbers ascending. Of equal numbers a decimal comes before a float.
func (n number) before(o number) int {
	if c := n.value.Cmp(o.value); c != 0 || n.isFloat == o.isFloat {
		return c
	}
	if o.isFloat {
		return -1
	}
	return 1
}
