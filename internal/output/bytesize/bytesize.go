// Package bytesize formats sizes for people.
package bytesize

import "fmt"

// Text returns a size in binary units, with two digits at least: "7 B", "1.5 KiB", "12 MiB", "1000 MiB".
//
// A library would do; the one that everybody uses compiles a regular expression and fills maps at every
// start of the program.
func Text(bytes int64) string {
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
