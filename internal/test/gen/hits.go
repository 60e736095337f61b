package gen

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Hits writes rows like those of a service that counts visits of web pages: 105 columns, of many integers, most of them
// small or zero, times, addresses, titles in another script, and texts that are nearly always empty. Neighbouring rows
// are often of one visit. A header has the names. With a tab between fields nothing is quoted; otherwise all texts are.
// It writes as many whole rows as fit in that many bytes.
func Hits(w io.Writer, bytes int64, seed uint64, delim byte) error {
	parts := newHitParts(seed)
	columns := hitColumns()
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return writeBytes(w, strings.Join(names, string(delim))+"\n", bytes, seed, func(d *dice) func([]byte) []byte {
		h := &hit{dice: d, hitParts: parts}
		return func(out []byte) []byte {
			h.next()
			for i := range columns {
				quoted := columns[i].kind == "VARCHAR" && delim != '\t'
				if quoted {
					out = append(out, '"')
				}
				from := len(out)
				out = columns[i].value(h, out)
				if quoted {
					out = append(doubled(out, from), '"')
				}
				out = append(out, delim)
			}
			out[len(out)-1] = '\n'
			return out
		}
	})
}

// doubled doubles the quotes from an offset on.
func doubled(out []byte, from int) []byte {
	for i := from; i < len(out); i++ {
		if out[i] == '"' {
			out = append(out[:i+1], out[i:]...)
			i++
		}
	}
	return out
}

// HitsColumns returns pairs of the columns' names and SQL's types.
func HitsColumns() (out []string) {
	for _, c := range hitColumns() {
		out = append(out, c.name, c.kind)
	}
	return out
}

// hit is the current row and the visit that it is of.
type hit struct {
	*dice
	*hitParts
	user, second, site, region, address int
}

type hitParts struct {
	sites                   wheel
	hosts, words, titles    []string
	searches, phones        []string
	addresses, hostsOfLinks wheel
}

func newHitParts(seed uint64) *hitParts {
	d := newDice(seed, -1)
	p := &hitParts{sites: newWheel(zipf(6000, 3, 1)), words: words(d, 4000), addresses: newWheel(zipf(1500, 20, 1.1))}
	p.hostsOfLinks = newWheel(zipf(2000, 1, 1))
	script := strings.NewReplacer(strings.Split("A а B б C ц D д E е F ф G г H х I и J й K к L л M м "+
		"N н O о P п R р S с T т U у V в W ш Z з", " ")...)
	for i, word := range p.words {
		p.words[i] = strings.ToLower(word)
	}
	p.hosts = times(2000, func(k int) string {
		host := p.words[k] + "-" + p.words[d.below(len(p.words))] + ".ru"
		switch {
		case k == 7:
			host = "google.ru"
		case d.oneIn(3):
			host = "www." + host
		}
		return host
	})
	phrase := func(most int) (text string) {
		for range 1 + d.below(most) {
			text += " " + script.Replace(strings.ToUpper(p.words[d.below(len(p.words))]))
		}
		return text[1:]
	}
	p.titles = times(20_000, func(k int) string {
		title := phrase(9)
		if k%4 == 0 {
			title += ` - "` + phrase(2) + `", ` + phrase(3)
		}
		if k%50 == 0 {
			title += " | Google"
		}
		return title
	})
	p.searches = times(50_000, func(int) string { return phrase(5) })
	p.phones = times(160, func(int) string { return strings.ToUpper(p.words[d.below(300)]) + strconv.Itoa(d.below(90)) })
	return p
}

const hitDays, secondsOfDay = 31, 24 * 3600

// next moves on to the next row: often a later one of the same visit.
func (h *hit) next() {
	h.second += h.below(90) * h.below(2)
	if h.second == 0 || h.second >= hitDays*secondsOfDay || h.oneIn(9) {
		h.user, h.site, h.region = h.below(200_000), h.sites.pick(h.dice), h.below(1+h.below(1+h.below(5000)))
		h.second, h.address = 1+h.below(hitDays*secondsOfDay-1), h.below(1<<31)
	}
}

// hitColumn is a column with the SQL type of its values.
type hitColumn struct {
	name, kind string
	value      func(h *hit, out []byte) []byte
}

// hitsColumns is how many columns there are.
const hitsColumns = 105

func hitColumns() []hitColumn {
	const integer, text = "BIGINT", "VARCHAR"
	all := []hitColumn{
		{"hit_id", integer, func(h *hit, out []byte) []byte { return h.digits(h.digits(append(out, '4'), 9), 9) }},
		{"java", integer, oneOf(2)},
		{"title", text, func(h *hit, out []byte) []byte {
			if h.oneIn(6) {
				return out
			}
			return append(out, h.titles[h.below(1+h.below(len(h.titles)))]...)
		}},
		{"event_time", "TIMESTAMP", (*hit).appendTime},
		{"event_date", "DATE", func(h *hit, out []byte) []byte { return h.appendTime(out)[:len(out)+len("2013-07-15")] }},
		{"site", integer, func(h *hit, out []byte) []byte { return appendInt(out, h.site) }},
		{"address", integer, func(h *hit, out []byte) []byte { return appendInt(out, h.address-1<<30) }},
		{"region", integer, func(h *hit, out []byte) []byte { return appendInt(out, h.region) }},
		{"user_id", integer, func(h *hit, out []byte) []byte {
			const first, step = 1_000_000_000_000_000_019, 39_916_801_000_003
			return appendInt(out, first+step*h.user)
		}},
		{"url", text, func(h *hit, out []byte) []byte {
			return h.appendAddress(append(out, "http://"...), h.site%len(h.hosts))
		}},
		{"referrer", text, func(h *hit, out []byte) []byte {
			if h.oneIn(5) {
				return out
			}
			scheme := []string{"http://", "https://"}[h.below(2)]
			return h.appendAddress(append(out, scheme...), h.hostsOfLinks.pick(h.dice))
		}},
		{"refresh", integer, rarely(10, 2)}, {"counted", integer, rarely(40, 2)}, {"linked", integer, rarely(12, 2)},
		{"downloaded", integer, rarely(60, 2)}, {"width", integer, of(1366, 1280, 1920, 1024, 1440, 0, 1600, 320)},
		{"height", integer, of(768, 1024, 1080, 800, 900, 0, 480)}, {"window_width", integer, between(300, 2000)},
		{"window_height", integer, between(200, 1200)}, {"source", integer, of(-1, 0, 1, 2, 3, 6, -1, -1)},
		{"engine", integer, rarely(8, 100)}, {"campaign", integer, rarely(100, 30)},
		{"phone", text, func(h *hit, out []byte) []byte {
			if !h.oneIn(20) {
				return out
			}
			return append(out, h.phones[h.below(1+h.below(len(h.phones)))]...)
		}},
		{"search", text, func(h *hit, out []byte) []byte {
			if !h.oneIn(8) {
				return out
			}
			return append(out, h.searches[h.below(1+h.below(1+h.below(len(h.searches))))]...)
		}},
		{"url_hash", integer, func(h *hit, out []byte) []byte { return h.digits(h.digits(append(out, '2'), 9), 9) }},
		{"region_name", text, func(h *hit, out []byte) []byte { return append(out, h.words[h.region%len(h.words)]...) }},
	}
	for i := range hitsColumns - len(all) { // what is the same nearly everywhere
		c := hitColumn{fmt.Sprintf("extra_%d", i+1), integer, rarely(20+i, 1+i*i)}
		switch {
		case i%7 == 3:
			c.value = between(0, 10<<(i%5*4))
		case i%11 == 5:
			c = hitColumn{c.name, text, func(h *hit, out []byte) []byte {
				if !h.oneIn(25) {
					return out
				}
				return append(out, h.words[h.below(100)]...)
			}}
		}
		all = append(all, c)
	}
	return all
}

func appendInt(out []byte, n int) []byte { return strconv.AppendInt(out, int64(n), 10) }

func oneOf(n int) func(h *hit, out []byte) []byte { return between(0, n) }

func between(low, end int) func(h *hit, out []byte) []byte {
	return func(h *hit, out []byte) []byte { return appendInt(out, low+h.below(end-low)) }
}

func of(all ...int) func(h *hit, out []byte) []byte {
	return func(h *hit, out []byte) []byte { return appendInt(out, all[h.below(1+h.below(len(all)))]) }
}

// rarely makes zeros, and a number below an end in one of so many rows.
func rarely(share, end int) func(h *hit, out []byte) []byte {
	return func(h *hit, out []byte) []byte {
		if !h.oneIn(share) {
			return append(out, '0')
		}
		return appendInt(out, h.below(end))
	}
}

func (h *hit) appendTime(out []byte) []byte {
	day, second := h.second/secondsOfDay, h.second%secondsOfDay
	out = append(twoDigits(append(out, "2013-07-"...), day+1), ' ')
	out = append(twoDigits(out, second/3600), ':')
	out = append(twoDigits(out, second/60%60), ':')
	return twoDigits(out, second%60)
}

// appendAddress appends a host and a path.
func (h *hit) appendAddress(out []byte, host int) []byte {
	out = append(append(out, h.hosts[host]...), '/')
	for range h.below(4) {
		out = append(append(out, h.words[h.addresses.pick(h.dice)]...), '/')
	}
	if h.oneIn(3) {
		out = append(append(out, "?q="...), h.words[h.below(len(h.words))]...)
	}
	return out
}
