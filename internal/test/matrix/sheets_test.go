package matrix

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// field is a field of a table: its text, and its number if it is one.
type field struct {
	text   string
	number *big.Rat
	float  bool // written with an exponent, and so a float64
	null   bool // empty and not in quotes, or not there; set when the record is written
}

// orNull returns the text of a field, or nullText.
func (f field) orNull() string {
	if f.null {
		return nullText
	}
	return f.text
}

// nullText stands for null among texts. No field is the same.
const nullText = "\x00null"

// sheet is a table whose content is known before it is written as text, so the test needs no parser.
type sheet struct {
	delim, quote byte
	header       bool
	feed         string
	columns      int
	records      [][]field
	files        []sheetFile
	malformed    int64
	empty        int64
	keep         bool // malformed records are kept
}

// sheetFile is one file of the table.
type sheetFile struct {
	data   []byte
	starts []int // offsets of the records, and the end
}

// sheetSize returns a number of records, often a threshold.
func sheetSize(r *rand.Rand) int {
	switch {
	case chance(r, 2000):
		return near(r, sizes(100_000, 65_536))
	case chance(r, 100):
		return near(r, sizes(5000, 1000))
	}
	return pick(r, r.IntN(10), r.IntN(60), near(r, sizes(100)))
}

// randomSheet returns a table: column 1 is a key, 2 has whole numbers, 3 decimals, and 4, if there is
// one, anything.
func randomSheet(r *rand.Rand, mode int) *sheet {
	s := &sheet{delim: pick[byte](r, ',', ';', '|', '\t'), quote: pick[byte](r, '"', '"', 0), header: chance(r, 2),
		feed: pick(r, "\n", "\n", "\r\n"), columns: 3 + r.IntN(2), keep: mode == keepMode}
	n := sheetSize(r)
	keys := pick(r, 1, 2, 5, max(n/3, 1), n+1, near(r, sizes(n+1)))
	numbers := pick(r, wholeSmall, wholeSmall, wholeLarge, wholeVast, constant)
	fraction := pick(r, decimals, decimals, decimalsLong, floats, mostlyDecimals)
	for range n {
		x := fraction(r)
		if x.number == nil {
			x = s.text(x.text)
		}
		record := []field{s.text(keyText(r, keys)), numbers(r), x}
		if s.columns > 3 {
			record = append(record, s.text(anything(r)))
		}
		s.records = append(s.records, record)
	}
	s.write(r, mode)
	return s
}

// text returns a field with a text, without the bytes that the dialect cannot write.
func (s *sheet) text(text string) field {
	if s.quote == 0 {
		text = strings.Map(func(c rune) rune {
			if c == rune(s.delim) || c == '\n' || c == '\r' {
				return '_'
			}
			return c
		}, text)
	}
	return field{text: text}
}

func keyText(r *rand.Rand, keys int) string {
	k := r.IntN(max(keys, 1))
	if keys > 20 || k > 8 {
		return "k" + strconv.Itoa(k*7919%100_003)
	}
	return []string{"a", "b", "", "ab", "é", "A long key that does not fit into a word or two", "a,b", "a\nb", `say "a"`}[k]
}

func anything(r *rand.Rand) string {
	return pick(r, "", " ", "x", "ab", "a;b", `"`, `""`, "a\nb", "\n", "é", "12", "-0", strings.Repeat("long ", r.IntN(40)), "a|b", "\tc")
}

func number(text string) field {
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("thresh: bug: the test's own number " + text)
	}
	return field{text: text, number: value}
}

func wholeSmall(r *rand.Rand) field { return number(strconv.Itoa(r.IntN(40) - 10)) }
func wholeLarge(r *rand.Rand) field { return number(strconv.FormatInt(int64(r.Uint64()), 10)) }
func constant(*rand.Rand) field     { return number("9") }

// wholeVast returns numbers near the limits of 64 bits, and beyond.
func wholeVast(r *rand.Rand) field {
	n := new(big.Int).Lsh(big.NewInt(pick[int64](r, 1, -1)), uint(pick(r, 31, 32, 52, 53, 62, 63, 64, 90)))
	return number(n.Add(n, big.NewInt(int64(r.IntN(5)-2))).String())
}

func decimals(r *rand.Rand) field {
	return number(fmt.Sprintf("%s%d.%0*d", pick(r, "", "-", "+"), r.IntN(30), 1+r.IntN(3), r.IntN(10)))
}

func decimalsLong(r *rand.Rand) field {
	return number(fmt.Sprintf("%s%d.%0*d", pick(r, "", "-"), r.Int64(), 1+r.IntN(25), r.Int64N(1000)))
}

// floats returns numbers with an exponent. Their value is the nearest float64.
func floats(r *rand.Rand) field {
	text := fmt.Sprintf("%s%d.%de%d", pick(r, "", "-"), r.IntN(10), r.IntN(1000), r.IntN(40)-20)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("thresh: bug: the test's own number " + text)
	}
	return field{text: text, number: new(big.Rat).SetFloat64(f), float: true}
}

// mostlyDecimals returns numbers, some with spaces around, empty fields, and other texts.
func mostlyDecimals(r *rand.Rand) field {
	switch r.IntN(8) {
	case 0:
		return field{text: pick(r, "", "", " ", "\t")}
	case 1:
		return field{text: pick(r, "x", "1.2.3", "-", "1e", "0x10", "NaN", "1_000", "--1", "1 2", ".", "１")}
	case 2:
		f := decimals(r)
		f.text = " " + f.text + "  "
		return f
	}
	return decimals(r)
}

// write writes the table as one or more files.
func (s *sheet) write(r *rand.Rand, mode int) {
	files := pick(r, 1, 1, 1, 2, 3)
	stray := chance(r, 6)
	var kept [][]field
	for i := range files {
		var b bytes.Buffer
		if len(s.records) >= files && chance(r, 20) {
			b.WriteString("\xef\xbb\xbf")
		}
		if s.header {
			b.WriteString(strings.Join([]string{"key", "n", "x", "rest"}[:s.columns], string(s.delim)) + s.feed)
		}
		var starts []int
		part := s.records[len(s.records)*i/files : len(s.records)*(i+1)/files]
		for k, record := range part {
			if chance(r, 30) {
				b.WriteString(s.feed)
				s.empty++
			}
			if mode != failMode && (len(kept) > 0 || s.header) && chance(r, 20) {
				kept = append(kept, s.spoil(r, &b, stray)...)
			}
			starts = append(starts, b.Len())
			s.line(r, &b, record)
			kept = append(kept, record)
			if k < len(part)-1 || chance(r, 2) {
				b.WriteString(s.feed)
			}
		}
		s.files = append(s.files, sheetFile{b.Bytes(), append(starts, b.Len())})
	}
	s.records = kept
}

// within cuts the table down to a range of whole records, if it has a single simple file.
func (s *sheet) within(r *rand.Rand) (off int64, length *int64) {
	if len(s.files) > 1 || s.header || s.empty > 0 || s.malformed > 0 {
		return 0, nil
	}
	starts := s.files[0].starts
	from := r.IntN(len(starts))
	to := from + r.IntN(len(starts)-from)
	s.records = s.records[from:to]
	n := int64(starts[to] - starts[from])
	return int64(starts[from]), &n
}

// line writes a record without its line ending. It quotes the fields that need it, and some others.
func (s *sheet) line(r *rand.Rand, b *bytes.Buffer, record []field) {
	for i, f := range record {
		if i > 0 {
			b.WriteByte(s.delim)
		}
		needs := strings.ContainsAny(f.text, string(s.delim)+"\r\n\"")
		if s.quote == 0 || !needs && !chance(r, 10) {
			record[i].null = f.text == ""
			b.WriteString(f.text)
			continue
		}
		quote := string(s.quote)
		b.WriteString(quote + strings.ReplaceAll(f.text, quote, quote+quote) + quote)
	}
}

// spoil writes a malformed record, and returns its fields for the mode in which it is kept.
func (s *sheet) spoil(r *rand.Rand, b *bytes.Buffer, stray bool) [][]field {
	fields := make([]field, s.columns)
	var text []string
	for i := range fields {
		fields[i] = pick(r, wholeSmall(r), wholeSmall(r), s.text("z"))
		text = append(text, fields[i].text)
	}
	switch {
	case stray && s.quote != 0:
		// In a field that does not begin with a quote, a quote is a byte like any other.
		i := r.IntN(len(fields))
		fields[i] = s.text(pick(r, `5" pipe`, `a"`, `a"b"c`, `1""`))
		text[i] = fields[i].text
	case chance(r, 2):
		text = text[:1+r.IntN(s.columns-1)]
		for i := len(text); i < s.columns; i++ {
			fields[i] = field{null: true}
		}
	default:
		text = append(text, pick(r, "", "more", "1"))
	}
	b.WriteString(strings.Join(text, string(s.delim)) + s.feed)
	if s.malformed++; s.keep {
		return [][]field{fields}
	}
	return nil
}

// The modes of --malformed.
const (
	failMode = iota
	skipMode
	keepMode
)

// without returns the records that match.
func without(records [][]field, fits func([]field) truth) [][]field {
	return slices.DeleteFunc(slices.Clone(records), func(record []field) bool { return fits(record) != yes })
}
