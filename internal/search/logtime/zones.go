package logtime

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// known are abbreviations of zones that mean one offset, in minutes, as docs/grep.md lists them.
var known = map[string]int{
	"UTC": 0, "GMT": 0, "UT": 0, "UCT": 0, "Z": 0, "WET": 0,
	"BST": 60, "CET": 60, "MET": 60, "MEZ": 60, "WAT": 60, "WEST": 60,
	"CAT": 120, "CEST": 120, "EET": 120, "MEST": 120, "MESZ": 120, "SAST": 120,
	"EAT": 180, "EEST": 180, "IDT": 180, "MSK": 180, "PKT": 300, "WIB": 420,
	"AWST": 480, "HKT": 480, "WITA": 480, "JST": 540, "KST": 540, "WIT": 540, "ACST": 570, "AEST": 600, "ChST": 600,
	"ACDT": 630, "AEDT": 660, "NZST": 720, "NZDT": 780,
	"NDT": -150, "ADT": -180, "NST": -210, "EDT": -240, "EST": -300, "MDT": -360, "MST": -420, "PDT": -420,
	"AKDT": -480, "AKST": -540, "HDT": -540, "HST": -600,
}

// unclear are abbreviations of zones that mean several offsets, or meant another one in the past.
var unclear = words(`ACT ALMT AMST AMT ANAT AQTT ARST ART AST AZT BDT BNT BOT BRST BRT BTT CCT CDT CIST CKT CLST CLT
	COT CST CVT EASST EAST ECT EGST EGT FJT FKST FKT FNT GALT GAMT GFT GILT GST GYT HADT HAST HOVT ICT IOT IRDT IRKT
	IRST IST KGT KOST KRAT KUYT LHDT LHST LINT MAGT MART MAWT MHT MMT MSD MUT MVT MYT NCT NFT NOVT NPT NRT NUT OMST
	ORAT PET PETT PGT PHOT PHT PKST PMDT PMST PONT PST PWT PYST PYT QYZT RET SAKT SAMT SBT SCT SGT SRET SRT SST TAHT
	TFT TJT TKT TLT TMT TOT TRT TVT ULAT UYST UYT UZT VET VLAT VOLT VUT WAKT WAST WFT WGST WGT WST YAKT YEKT`)

// areas are what names of the tz database begin with.
var areas = words("Africa America Antarctica Arctic Asia Atlantic Australia Etc Europe Indian Pacific US")

// pairs are names of the tz database that are two abbreviations.
var pairs = words("EST5EDT CST6CDT MST7MDT PST8PDT")

func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// zones finds the zones of times. It is not safe for concurrent use.
type zones struct {
	local  *time.Location            // of times without a zone
	walls  bool                      // times are returned as clocks show them, in UTC
	given  map[string]*time.Location // by the user; nil is no zone
	fixed  map[int]*time.Location    // by seconds
	places map[string]*time.Location // by name in the tz database; nil if it has none
	pieces *pieces                   // get the pieces of the time that is read; may be nil
}

// reader returns a reader of the time at the start of a text.
func (z *zones) reader(b []byte) reader {
	if z.pieces != nil {
		*z.pieces = (*z.pieces)[:0]
	}
	return reader{b: b, pieces: z.pieces}
}

// ParseZone reads what an abbreviation means: NAME=+hh:mm, or NAME=none if it is not a zone, for which zone is nil. A
// zone alone, Europe/Berlin, UTC, +02:00 or local, has no name.
func ParseZone(text string) (name string, zone *time.Location, err error) {
	i := strings.LastIndexByte(text, '=')
	if i <= 0 || strings.TrimSpace(text[:i]) != text[:i] {
		if n, seconds, is := offset([]byte(text), false); is == aZone && n == len(text) {
			return "", time.FixedZone(text, seconds), nil
		}
		for name, zone := range map[string]*time.Location{"local": time.Local, "utc": time.UTC} {
			if strings.EqualFold(text, name) {
				return "", zone, nil
			}
		}
		_, short := known[text]
		if zone, err := time.LoadLocation(text); err == nil && text != "" && (!short || zone == time.UTC) && !unclear[text] {
			return "", zone, nil
		}
		return "", nil, fmt.Errorf("%q is not a zone: write Europe/Berlin or +02:00 for times without one, CEST=+02:00 for "+
			"an abbreviation, or WORD=none for no zone", text)
	}
	name, value := text[:i], text[i+1:]
	if value == "none" {
		return name, nil, nil
	}
	n, seconds, is := offset([]byte(value), false)
	if is != aZone || n != len(value) {
		return "", nil, fmt.Errorf("%q: %q is not an offset such as +02:00 or -03, and not none", text, value)
	}
	return name, time.FixedZone(name, seconds), nil
}

// zone is what follows a time.
type zone struct {
	bytes   int            // with the blanks before it; 0 if there is none that is known
	in      *time.Location // nil if there is no zone
	unknown string         // looks like a zone, but which one is not known
}

// read reads the zone at the start of a text that follows a time. Names are read after blanks, too, and in
// brackets; an offset is read directly after the time and after one space.
func (z *zones) read(b []byte) zone {
	blanks := 0
	for blanks < len(b) && (b[blanks] == ' ' || b[blanks] == '\t') {
		blanks++
	}
	rest := b[blanks:]
	if len(z.given) == 0 { // most lines
		switch {
		case len(rest) == 0 || blanks > 0 && 'a' <= rest[0] && rest[0] <= 'z':
			return zone{}
		case len(rest) > 1 && rest[0] == 'Z' && rest[1] == ' ':
			return zone{blanks + 1, time.UTC, ""}
		case len(rest) > 3 && string(rest[:4]) == "UTC ":
			return zone{blanks + 3, time.UTC, ""}
		}
	}
	var longest string
	for name := range z.given {
		if len(name) > len(longest) && bytes.HasPrefix(rest, []byte(name)) && !continues(rest[len(name)-1:]) {
			longest = name
		}
	}
	if longest != "" {
		if z.given[longest] == nil {
			return zone{}
		}
		return zone{blanks + len(longest), z.given[longest], ""}
	}
	n, seconds, is := offset(rest, false)
	switch {
	case is == aZone && (blanks == 0 || blanks == 1 && b[0] == ' '):
		return zone{blanks + n, z.at(seconds), ""}
	case is == likeAZone && blanks == 0:
		return zone{unknown: string(rest[:n])}
	case is != noZone: // a number in the message
		return zone{}
	}
	open, end := 0, byte(')')
	if len(rest) > 0 && (rest[0] == '(' || rest[0] == '[') {
		if open = 1; rest[0] == '[' {
			end = ']'
		}
	}
	found := z.name(rest[open:], blanks+open == 0)
	if open > 0 && (found.bytes+open >= len(rest) || rest[found.bytes+open] != end) {
		return zone{}
	}
	if found.bytes += blanks + 2*open; found.in == nil {
		found.bytes = 0
	}
	return found
}

// name reads the name of a zone, of which Z may be lower case if it is attached to the time.
func (z *zones) name(b []byte, attached bool) zone {
	n := 0
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	word := string(b[:n])
	minutes, ok := known[word]
	switch rest := b[n:]; {
	case n == 0:
		return zone{}
	case len(rest) > 0 && rest[0] == '/' && areas[word] || len(rest) > 3 && pairs[string(b[:min(len(b), 7)])]:
		return z.place(b)
	case len(rest) > 0 && (isWord(rest[0]) || rest[0] >= 0x80):
		return zone{}
	case attached && word == "z":
		return zone{n, time.UTC, ""}
	case ok:
		more, seconds, is := offset(rest, true)
		switch {
		case is == noZone:
			return zone{n, z.at(minutes * 60), ""}
		case is == likeAZone || minutes != 0 || word == "Z" || word == "WET": // MSK+1
			return zone{bytes: n + more, unknown: string(b[:n+more])}
		}
		return zone{n + more, z.at(seconds), ""}
	case unclear[word] || attached && n == 1 && word < "a":
		return zone{bytes: n, unknown: word}
	}
	if n > 1 && word[1] >= 'a' && bytes.Contains(b[:min(len(b), 60)], []byte(" Time")) {
		for _, last := range []string{" Standard Time", " Daylight Time", " Summer Time"} {
			if i := bytes.Index(b[:min(len(b), 60)], []byte(last)); i > 0 && isName(b[:i]) {
				return zone{bytes: i + len(last), unknown: string(b[:i+len(last)])}
			}
		}
	}
	return zone{}
}

// isName reports whether a text is words that begin with an upper-case letter, as the long names of zones.
func isName(b []byte) bool {
	for word := range bytes.SplitSeq(b, []byte{' '}) {
		if len(word) == 0 || word[0] < 'A' || word[0] > 'Z' {
			return false
		}
	}
	return true
}

// place reads a name of the tz database.
func (z *zones) place(b []byte) zone {
	n := 0
	for n < len(b) && (isWord(b[n]) || bytes.IndexByte([]byte("/+-"), b[n]) >= 0) {
		n++
	}
	name := string(b[:n])
	in, ok := z.places[name]
	if !ok {
		in, _ = time.LoadLocation(name) // an unknown one is an error where the time is used
		if z.places == nil {
			z.places = map[string]*time.Location{}
		}
		z.places[name] = in
	}
	if in == nil {
		return zone{bytes: n, unknown: name}
	}
	return zone{n, in, ""}
}

// at returns the zone with a fixed offset.
func (z *zones) at(seconds int) *time.Location {
	if seconds == 0 {
		return time.UTC
	}
	if z.fixed[seconds] == nil {
		if z.fixed == nil {
			z.fixed = map[int]*time.Location{}
		}
		z.fixed[seconds] = time.FixedZone("", seconds)
	}
	return z.fixed[seconds]
}

// Whether a text is an offset.
const (
	noZone    = iota
	likeAZone // a sign and digits, but not an offset that exists
	aZone
)

// offset reads the offset of a zone in seconds: a sign and hh, hhmm, hh:mm or hh:mm:ss, and after a name h, too.
func offset(b []byte, named bool) (n, seconds, is int) {
	r := reader{b: b}
	sign := r.any("+-")
	if minus := []byte("−"); sign == 0 && bytes.HasPrefix(b, minus) {
		sign, r.at = '-', len(minus)
	}
	digits := r.digits()
	if sign == 0 || digits == 0 || digits > 4 || continues(b[r.at+digits-1:]) {
		return 0, 0, noZone
	}
	var parts [3]int // hours, minutes and seconds
	if digits == 4 {
		parts[0], parts[1] = r.number(0, 2), r.number(0, 2)
	} else {
		parts[0] = r.number(0, digits)
	}
	for i := 1; i < len(parts) && digits <= 2 && r.at < len(b) && b[r.at] == ':'; i++ {
		part := reader{b: b, at: r.at + 1}
		if part.digits() != 2 || continues(b[part.at+1:]) {
			break // as in -03:10.0.0.1, where an address follows
		}
		parts[i], r.at = part.number(0, 2), part.at
	}
	seconds = parts[0]*3600 + parts[1]*60 + parts[2]
	if sign == '-' {
		seconds = -seconds
	}
	odd := digits == 3 || digits == 1 && !named
	if odd || parts[1] > 59 || parts[2] > 59 || seconds > 14*3600 || seconds < -12*3600 {
		return r.at, 0, likeAZone
	}
	return r.at, seconds, aZone
}

// continues reports whether the word or number goes on whose last byte is the first of a text.
func continues(b []byte) bool {
	if len(b) < 2 || !isWord(b[0]) {
		return false
	}
	return isWord(b[1]) || b[1] >= 0x80 || isDigit(b[0]) && (b[1] == '%' || len(b) > 2 && b[1] == '.' && isDigit(b[2]))
}

// zoneError reports what looks like a zone.
func zoneError(unknown string) error {
	return fmt.Errorf("%q after the time looks like a zone, but which one is not known; say it by "+
		"LogTimes.Zones '%[1]s=+hh:mm', "+
		"or LogTimes.Zones '%[1]s=none' if it is not a zone", unknown)
}

// showing returns the times, at most two, at which a clock in a zone shows what wall does in UTC, in order.
func showing(wall time.Time, in *time.Location) (times []time.Time) {
	at := date(wall, in)
	begin, end := at.ZoneBounds()
	for _, near := range []time.Time{begin.Add(-1), at, end} {
		_, seconds := near.In(in).Zone()
		t := wall.Add(-time.Duration(seconds) * time.Second).In(in)
		if _, shown := t.Zone(); shown == seconds {
			times = append(times, t)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}

// date returns a time at which a clock in a zone shows what wall does in UTC; one nearby if it never does.
func date(wall time.Time, in *time.Location) time.Time {
	hour, minute, second := wall.Clock()
	return time.Date(wall.Year(), wall.Month(), wall.Day(), hour, minute, second, wall.Nanosecond(), in)
}

// once returns the time at which a clock in a zone shows what wall does in UTC. That it never does, or twice, is an
// error; the time then is the end of the gap, or the first of the two.
func once(wall time.Time, in *time.Location) (time.Time, error) {
	const layout = "2006-01-02 15:04:05.999999999"
	shown := wall.Format(layout)
	times := showing(wall, in)
	switch at := date(wall, in); len(times) {
	case 0:
		begin, end := at.ZoneBounds()
		if at.Format(layout) < shown {
			begin = end
		}
		return begin, fmt.Errorf("%s does not exist in the zone %s: clocks are set forward over it, to %s",
			shown, in, begin.Format(layout))
	case 1:
		return at, nil
	}
	return times[0], fmt.Errorf("%s exists twice in the zone %s, because clocks are set back: write %s or %s",
		shown, in, times[0].Format(time.RFC3339Nano), times[1].Format(time.RFC3339Nano))
}
