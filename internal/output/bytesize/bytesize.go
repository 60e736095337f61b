// Package bytesize reads sizes that people write, and writes sizes for people.
//
// A library would do; the one that everybody uses compiles a regular expression and fills maps at every
// start of the program.
package bytesize

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// scaled returns a size in the largest unit of powers of base that it reaches, and the unit's letter, "" for bytes.
func scaled(size, base float64) (_ float64, unit string) {
	for units := "KMGTPE"; size >= base && units != ""; units = units[1:] {
		size, unit = size/base, units[:1]
	}
	return size, unit
}

// Text returns a size in binary units, with two digits at least: "7 B", "1.5 KiB", "12 MiB", "1000 MiB".
func Text(bytes int64) string {
	size, unit := scaled(float64(bytes), 1024)
	switch {
	case unit == "":
		return fmt.Sprintf("%d B", bytes)
	case size < 9.95:
		return fmt.Sprintf("%.1f %siB", size, unit)
	}
	return fmt.Sprintf("%.0f %siB", size, unit)
}

// Precise returns a size in binary units, with two decimals: "7 bytes", "1.50 KiB", "1000.00 MiB".
func Precise(bytes int64) string {
	size, unit := scaled(float64(bytes), 1024)
	if unit == "" {
		return numeral.Count(bytes, "byte")
	}
	return fmt.Sprintf("%.2f %siB", size, unit)
}

// Short returns a size in binary units, with a decimal unless it is 0: "7 bytes", "1.5 KiB", "12 MiB".
func Short(bytes int64) string {
	size, unit := scaled(float64(bytes), 1024)
	if unit == "" {
		return numeral.Count(bytes, "byte")
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", size), ".0") + " " + unit + "iB"
}

// Decimal returns a size in powers of 1000, with a decimal below 10 unless it is 0: "7 B", "1.5 kB", "12 MB".
func Decimal[N int64 | float64](bytes N) string {
	size, unit := scaled(float64(bytes), 1000)
	decimals := 0
	if size < 10 {
		decimals = 1
	}
	text := strings.TrimSuffix(strconv.FormatFloat(size, 'f', decimals, 64), ".0")
	return text + " " + strings.Replace(unit, "K", "k", 1) + "B"
}

// suffixes are the units that Parse knows.
var suffixes = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

// Parse returns a size that a person wrote: 4096, 0x1000, 64k, 4KiB, 1.5G. Units of a k are powers of 1000, those of
// a Ki powers of 1024.
func Parse(text string) (int64, error) {
	number, unit := text, 1.0
	if !strings.HasPrefix(text, "0x") && !strings.HasPrefix(text, "0X") {
		for _, u := range suffixes {
			if rest, ok := strings.CutSuffix(text, u.suffix); ok {
				number, unit = strings.TrimSpace(rest), u.bytes
				break
			}
		}
	}
	if n, err := strconv.ParseInt(number, 0, 64); err == nil {
		if n < 0 {
			return 0, fmt.Errorf("%s is negative", text)
		}
		if float64(n)*unit > math.MaxInt64/2 {
			return 0, fmt.Errorf("%s is too large", text)
		}
		return n * int64(unit), nil
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a number of bytes (write 4096, 0x1000, 64k or 4GiB)", text)
	}
	if f < 0 || f*unit > math.MaxInt64/2 {
		return 0, fmt.Errorf("%s is out of range", text)
	}
	return int64(f * unit), nil
}
