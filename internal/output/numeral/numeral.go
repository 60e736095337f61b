// Package numeral writes numbers for people.
package numeral

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns a number of things: "1 line", "2 lines".
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// CountGrouped is Count with commas between the thousands: "1 byte", "1,234 bytes".
func CountGrouped[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Grouped(n) + " " + thing + "s"
}

// Grouped puts commas between the thousands of an integer: "-1,234,567".
func Grouped[N int | int64](n N) string {
	sign, digits := "", strconv.FormatInt(int64(n), 10)
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
