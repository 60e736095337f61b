package serve

import "strconv"

func exactBytes(bytes int64) string { return plural(bytes, "byte") }

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped returns a number with a comma between groups of three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0 // of the digits
	if n < 0 {
		first = 1
	}
	for at := len(digits) - 3; at > first; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
