package serve

import (
	"fmt"
	"strconv"
)

// roundBytes returns a size for people, with two digits at least: "7 B", "1.5 KiB", "12 MiB",
// "1000 MiB". A library would do; the one that everybody uses compiles a regular expression and
// fills maps at every start of the program.
func roundBytes(bytes int64) string {
	const units = "KMGTPE"
	size, unit := float64(bytes), -1
	for ; size >= 1024 && unit < len(units)-1; unit++ {
		size /= 1024
	}
	switch {
	case unit < 0:
		return fmt.Sprintf("%d B", bytes)
	case size < 9.95:
		return fmt.Sprintf("%.1f %ciB", size, units[unit])
	}
	return fmt.Sprintf("%.0f %ciB", size, units[unit])
}

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
