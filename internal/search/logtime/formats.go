package logtime

import (
	"bytes"
	"strings"
	"time"
)

// levels are words that may stand before the time of a line, in lower case.
var levels = words(`trace debug info notice note warn warning error err fatal severe critical crit alert emerg
	emergency panic fine finer finest config verbose information audit`)

// labels are other texts that may stand before a time: keys of logfmt, MySQL's log of slow queries, Windows' events.
var labels = [][]byte{[]byte("time="), []byte("ts="), []byte("t="), []byte("timestamp="), []byte("# Time: "),
	[]byte("  Date: ")}

// opening returns how long what stands before a time is: the priority of syslog, <34> or <34>1, a bracket or quote, the
// first key of a JSON object, the name of a level, a day or a key, a colour of a terminal.
func opening(b []byte) (n int) {
	for step := 1; step > 0 && n < 64; n += step {
		step = openingStep(b[n:])
	}
	return n
}

func openingStep(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '[' || b[0] == '(' || b[0] == '"':
		return 1
	case b[0] == '<':
		return priority(b)
	case b[0] == '\x1b':
		return colour(b)
	case bytes.HasPrefix(b, []byte(`{"`)):
		return firstKey(b)
	}
	for _, label := range labels {
		if bytes.HasPrefix(b, label) {
			return len(label)
		}
	}
	word := bytes.TrimLeft(b, " ") // a level that stands at the right of its column
	end := len(b) - len(word)
	word = word[:len(word)-len(bytes.TrimLeftFunc(word, isASCIILetter))]
	rest := b[end+len(word):]
	gap := len(rest) - len(bytes.TrimLeft(rest, " \t],:|-"))
	isRuby := len(word) == 1 && bytes.HasPrefix(rest, []byte(", ["))
	known := len(word) < 16 && levels[strings.ToLower(string(word))] || isDay(word) || isRuby
	if known && (gap > 0 || colour(rest) > 0) {
		return end + len(word) + gap
	}
	return 0
}

func isASCIILetter(c rune) bool { return c < 0x80 && isLetter(byte(c)) }

// colour returns how long an instruction to a terminal is, as log4j's %highlight writes: ESC[1;31m. Blanks may follow.
func colour(b []byte) int {
	end := bytes.IndexByte(b[:min(len(b), 24)], 'm') + 1
	if end < 3 || b[0] != '\x1b' || b[1] != '[' {
		return 0
	}
	return len(b) - len(bytes.TrimLeft(b[end:], " "))
}

// isDay reports whether a word is the name of a day.
func isDay(word []byte) bool { return len(word) == 3 && strings.Index(days, string(word))%3 == 0 }

// priority returns how long the priority of syslog is.
func priority(b []byte) int {
	i := 1
	for i < len(b) && i < 4 && isDigit(b[i]) {
		i++
	}
	if i == 1 || i == len(b) || b[i] != '>' {
		return 0
	}
	if i++; len(b) > i+1 && b[i] == '1' && b[i+1] == ' ' { // the version in RFC 5424
		i += 2
	}
	return i
}

// firstKey returns where the value of the first key of a JSON object begins.
func firstKey(b []byte) int {
	i := bytes.Index(b[:min(len(b), 40)], []byte(`":`))
	if i < 0 {
		return 0
	}
	for i += 2; i < len(b) && b[i] == ' '; i++ {
	}
	if i < len(b) && b[i] == '"' {
		i++
	}
	return i
}

// timeKeys are the keys of times in JSON objects.
var timeKeys = words("time timestamp ts t @timestamp @t date datetime asctime eventTime __REALTIME_TIMESTAMP")

// object reads the time of a JSON object, wherever its key stands. Docker writes it last.
func object(line []byte, z *zones) (stamp, bool) {
	if len(line) == 0 || line[0] != '{' {
		return stamp{}, false
	}
	depth := 0
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := textEnd(line, at)
			key := line[at+1 : max(end-1, at+1)]
			at = end - 1
			if depth != 1 || end == len(line) || line[end] != ':' || !timeKeys[string(key)] {
				continue
			}
			value := end + 1
			for value < len(line) && (line[value] == ' ' || line[value] == '"') {
				value++
			}
			for _, parse := range []parser{iso, unix, dayFirst} {
				if s, ok := parse(line[value:], z); ok {
					s.bytes += value
					return s, true
				}
			}
		}
	}
	return stamp{}, false
}

// textEnd returns where the JSON text ends that begins at an index.
func textEnd(line []byte, at int) int {
	for at++; at < len(line); at++ {
		switch line[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(line)
}

// dayFirst reads 27 Nov 2026 15:40:10, with - or / for the blanks, and without the year.
func dayFirst(line []byte, z *zones) (stamp, bool) {
	r := z.reader(line)
	day := r.short('d')
	sep := string(rune(r.need(" -/")))
	month := r.month()
	r.need(sep)
	year := 0
	if r.digits() == 4 {
		year = r.number('Y', 4)
		r.any(",")
		r.need(" :;T")
	}
	return r.stamp(year, month, day, r.clock(true), z)
}

// klog reads the time of klog and glog: I1127 15:40:10.123456, and with the year after the letter.
func klog(line []byte, z *zones) (stamp, bool) {
	r := z.reader(line)
	r.need("IWEF")
	year := 0
	switch r.digits() {
	case 4:
	case 8:
		year = r.number('Y', 4)
	default:
		r.bad = true
	}
	month, day := r.number('m', 2), r.number('d', 2)
	r.need(" ")
	c := r.clock(true)
	return r.stamp(year, time.Month(month), day, c, z)
}
