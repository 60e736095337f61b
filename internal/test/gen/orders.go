package gen

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

const ordersHeader = "id,city,country,amount,note\n"

// Orders writes quoted CSV like the export of a shop: a header, and rows of id, city, country, amount
// with two decimals, and note. A third of the notes are quoted, because they contain commas, doubled
// quotes or line feeds. It writes as many whole rows as fit in that many bytes.
func Orders(w io.Writer, bytes int64, seed uint64) error {
	return orders(w, bytes, seed, notesQuoted())
}

// OrdersPlain writes the same without quotes: the notes have the same length, and other characters
// replace those that need quotes.
func OrdersPlain(w io.Writer, bytes int64, seed uint64) error {
	plain := notesQuoted()
	signs := strings.NewReplacer(`"`, "'", ",", " ", "\n", "/")
	for i := range plain {
		plain[i] = signs.Replace(plain[i])
	}
	return orders(w, bytes, seed, plain)
}

func orders(w io.Writer, bytes int64, seed uint64, notes []string) error {
	cities := towns413()
	countries := parseTexts(countryWeights, nil, 0, 0, 0)
	shares := newWheel(zipf(len(cities), 4, 0.9))
	return writeBytes(w, ordersHeader, bytes, seed, func(d *dice) func([]byte) []byte {
		return func(out []byte) []byte {
			out = append(d.digits(append(out, '1'), 8), ',')
			city := strings.TrimSuffix(cities[shares.pick(d)].name, ";")
			out = append(append(out, city...), ',')
			out = append(append(out, countries.pick(d)...), ',')
			cents := 100 + d.below(1+d.below(100_000))
			out = append(strconv.AppendInt(out, int64(cents/100), 10), '.')
			out = append(twoDigits(out, cents%100), ',')
			return append(append(out, notes[d.below(len(notes))]...), '\n')
		}
	})
}

const countryWeights = `
30 DE
25 US
12 FR
10 GB
8 AT
6 CH
5 NL
3 IT
2 ES
1 JP
`

// notesQuoted returns notes, a third of them quoted.
func notesQuoted() []string {
	d := newDice(0, 0)
	pieces := []string{"gift wrap please", "leave it with the neighbour", "ring twice", "call before delivery",
		"fragile", "second attempt", "invoice to the company", "no substitutes", "deliver after 6 pm"}
	joints := []string{", ", "; \"\"urgent\"\" ", "\n", ",\n", ", \"\"as agreed\"\", ", ",,"}
	return times(3*1024, func(k int) string {
		note := pieces[d.below(len(pieces))]
		if k%3 != 0 {
			if d.oneIn(4) {
				return ""
			}
			return note
		}
		for range 1 + d.below(3) {
			note += joints[d.below(len(joints))] + pieces[d.below(len(pieces))]
		}
		return `"` + note + `"`
	})
}

// Prices writes rows of a group, a comma, and a price below 100,000 with two decimals. The groups take
// turns, so their numbers of rows differ by at most one.
func Prices(w io.Writer, rows, groups int64, seed uint64) error {
	if groups < 1 {
		return fmt.Errorf("make prices: %d groups: at least 1 is needed", groups)
	}
	return writeRows(w, rows, seed, func(d *dice, row int64) func([]byte) []byte {
		return func(out []byte) []byte {
			out = append(strconv.AppendInt(append(out, "group-"...), row%groups, 10), ',')
			row++
			out = append(strconv.AppendInt(out, int64(d.below(100_000)), 10), '.')
			return append(twoDigits(out, d.below(100)), '\n')
		}
	})
}
