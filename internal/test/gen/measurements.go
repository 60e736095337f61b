package gen

import (
	_ "embed" // the towns
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Stations selects the weather stations. The zero value means 413 towns of the world.
type Stations struct {
	MadeUp int // number of stations with random names of 1 to 100 bytes, ASCII or not; 0 means the towns
}

// Measurements writes rows like those of the One Billion Row Challenge: name, semicolon, and a
// temperature from -99.9 to 99.9 with one decimal. Temperatures are normally distributed around the
// station's mean, with a standard deviation of 10. All stations are equally frequent.
func Measurements(w io.Writer, rows int64, seed uint64, at Stations) error {
	stations := towns413()
	if at.MadeUp > 0 {
		stations = madeUpStations(at.MadeUp, newDice(seed, -1))
	}
	const deviation = 100 // tenths
	return writeRows(w, rows, seed, func(d *dice, _ int64) func([]byte) []byte {
		r := rand.New(&d.PCG)
		return func(out []byte) []byte {
			s := &stations[d.below(len(stations))]
			tenths := int(math.Round(s.mean + float64(r.NormFloat64()*deviation)))
			return appendTenths(append(out, s.name...), max(-999, min(999, tenths)))
		}
	})
}

// station is a place with its mean temperature in tenths of a degree.
type station struct {
	name string // including the semicolon
	mean float64
}

// appendTenths appends a number of tenths with one decimal, and a line feed.
func appendTenths(out []byte, tenths int) []byte {
	if tenths < 0 {
		out, tenths = append(out, '-'), -tenths
	}
	if tenths >= 100 {
		out = append(out, '0'+byte(tenths/100))
	}
	return append(out, '0'+byte(tenths/10%10), '.', '0'+byte(tenths%10), '\n')
}

// worldTowns are 413 towns and their approximate mean temperatures over the year.
//
//go:embed towns.txt
var worldTowns string

func towns413() (out []station) {
	for place := range strings.SplitSeq(strings.ReplaceAll(worldTowns, "\n", ""), ";") {
		name, degrees, _ := strings.Cut(place, "=")
		mean, err := strconv.ParseFloat(degrees, 64)
		if err != nil {
			panic(fmt.Sprintf("gen: bug: the list of towns has %q", place))
		}
		out = append(out, station{name + ";", 10 * mean})
	}
	return out
}

// madeUpStations returns stations with distinct names. There are few names of one byte, so a name
// that is taken grows by a letter until it is free.
func madeUpStations(n int, d *dice) []station {
	const nameBytesMax = 100
	letters := []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ  -'.äöüßéèçñøåžščłĐŁΑλφаяжщ東京北上海서울قاهרה🌍")
	const asciiLetters = 57
	seen := map[string]bool{}
	out := make([]station, 0, n)
	for len(out) < n {
		var name []byte
		size := 1 + d.below(nameBytesMax)
		from := letters
		if d.oneIn(2) {
			from = letters[:asciiLetters]
		}
		for len(name) < size || seen[string(name)] {
			name = append(name, string(from[d.below(len(from))])...)
		}
		if len(name) > nameBytesMax {
			continue
		}
		seen[string(name)] = true
		out = append(out, station{string(name) + ";", float64(d.below(700) - 250)})
	}
	return out
}
