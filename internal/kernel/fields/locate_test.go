package fields

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// record is the splitter's view of a record.
type record struct {
	begin, end, stop uint32
	fields           []records.Span
}

// fieldEnd returns where the field that begins at i ends: at a delimiter, a line feed, or the end
// of the text. Quotes protect these only if the field begins with one.
func fieldEnd(text []byte, d Dialect, i int) int {
	if d.Quoted && i < len(text) && text[i] == d.Quote {
		for i++; ; i += 2 {
			n := bytes.IndexByte(text[i:], d.Quote)
			if n < 0 {
				return len(text)
			}
			if i += n; i+1 == len(text) || text[i+1] != d.Quote {
				i++
				break
			}
		}
	}
	for i < len(text) && text[i] != d.Delim && text[i] != '\n' {
		i++
	}
	return i
}

// split finds records and their fields one after the other.
func split(text []byte, d Dialect) (all []record) {
	begin := 0
	for i := 0; i < len(text); i++ {
		if i = fieldEnd(text, d, i); i == len(text) {
			return all
		}
		if text[i] != '\n' {
			continue
		}
		line := bytes.TrimSuffix(text[begin:i], []byte{'\r'})
		r := record{begin: uint32(begin), end: uint32(i), stop: uint32(begin + len(line))}
		for field, span := range d.spans(line) {
			if field != len(r.fields) {
				panic("fields out of order")
			}
			r.fields = append(r.fields, records.Span{Off: span.Off + r.begin, Len: span.Len})
		}
		all = append(all, r)
		begin = i + 1
	}
	return all
}

func (d Dialect) spans(line []byte) func(yield func(int, records.Span) bool) {
	return func(yield func(int, records.Span) bool) {
		d.Split(line, func(field, from, to int) bool {
			return yield(field, records.Span{Off: uint32(from), Len: uint32(to - from)})
		})
	}
}

// Texts of records: regular ones, some with a field more or less, and arbitrary bytes.
func randomRecords(r *rand.Rand, d Dialect) []byte {
	fields, wild, length := 1+r.IntN(8), r.IntN(3), 1+r.IntN(30)
	if r.IntN(20) == 0 {
		fields = 100
	}
	var b strings.Builder
	for size := r.IntN(ChunkBytes / (1 + r.IntN(30))); b.Len() < size; {
		n := fields
		if wild == 2 || wild == 1 && r.IntN(20) == 0 {
			n += r.IntN(5) - 2
		}
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			field := strings.Repeat("y", r.IntN(length))
			if r.IntN(10) == 0 {
				field = `"` + field + ",\r\n" + `"`
			}
			b.WriteString(field)
		}
		b.WriteString([]string{"\n", "\r\n"}[r.IntN(8)/7])
	}
	text := d.in(b.String())
	return text[:min(len(text), ChunkBytes)]
}

// In batches of several sizes, Ends, Stops, Ragged and Locate agree with the splitter.
func TestLocate(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		r := rand.New(rand.NewPCG(7, 8))
		c := new(Chunk)
		for i := range 400 {
			d := dialects[r.IntN(len(dialects))]
			text := randomRecords(r, d)
			if i%8 == 0 {
				text = d.in(nasty[r.IntN(len(nasty))])
			}
			mark(c, text, d, AtField)
			if all := split(text, d); len(all) > 0 && i%2 == 0 {
				c.Expect(len(all[r.IntN(len(all))].fields))
			}
			compare(t, c, text, d, r)
		}
	})
}

// compare checks the batches of a chunk.
func compare(t *testing.T, c *Chunk, text []byte, d Dialect, r *rand.Rand) {
	t.Helper()
	all := split(text, d)
	ends := make([]uint32, 1+r.IntN(records.Max))
	stops := make([]uint32, len(ends))
	wanted, columns := wants(r, len(ends))
	begin := uint32(0)
	for {
		k := c.Ends(begin, ends)
		if k != min(len(ends), len(all)) {
			t.Fatalf("%q, %+v: %d ends, want %d of %d", text, d, k, len(ends), len(all))
		}
		if k == 0 {
			return
		}
		Stops(text, begin, ends[:k], stops)
		n := len(all[r.IntN(k)].fields)
		odd := c.Ragged(begin, ends[:k], n, []uint16{9})
		given := stops[:k]
		if slices.Equal(given, ends[:k]) && r.IntN(4) > 0 {
			given = ends[:k]
		}
		c.Locate(wanted, begin, ends[:k], given, columns)
		wantOdd := []uint16{9}
		for i, want := range all[:k] {
			if ends[i] != want.end || stops[i] != want.stop {
				t.Fatalf("%q, %+v: record %d ends at %d, %d, want %d, %d", text, d, i, ends[i], stops[i], want.end, want.stop)
			}
			if len(want.fields) != n {
				wantOdd = append(wantOdd, uint16(i))
			}
			for j, field := range wanted {
				span := records.Span{Off: want.stop}
				if field < len(want.fields) {
					span = want.fields[field]
				}
				if columns[j][i] != span {
					t.Fatalf("%q, %+v, wanted %v: field %d of record %d is %v, want %v",
						text, d, wanted, field, i, columns[j][i], span)
				}
			}
		}
		if !slices.Equal(odd, wantOdd) {
			t.Fatalf("%q, %+v: records without %d fields: %v, want %v", text, d, n, odd, wantOdd)
		}
		begin, all = ends[k-1]+1, all[k:]
	}
}

// wants returns fields to look for, with columns of that many rows.
func wants(r *rand.Rand, rows int) (wanted []int, columns []records.Column) {
	for field := range 10 {
		if r.IntN(3) == 0 {
			wanted = append(wanted, field)
		}
	}
	wanted = append(wanted, 98+r.IntN(2))
	for range wanted {
		columns = append(columns, make(records.Column, rows))
	}
	return wanted, columns
}

// Ends from every place of a text that begins within a record or a quoted field.
func TestEndsFromEveryPlace(t *testing.T) {
	c, d := new(Chunk), dialects[1]
	for _, text := range nasty {
		b := d.in(text)
		markBytes(c, b, d, AtField)
		var want []uint32
		for i := range b {
			if c.Feeds[i/64]>>(i%64)&1 == 1 {
				want = append(want, uint32(i))
			}
		}
		for from := range len(b) + 1 {
			for len(want) > 0 && want[0] < uint32(from) {
				want = want[1:]
			}
			for _, room := range []int{0, 1, 7, 8, 9, 70, 400} {
				ends := make([]uint32, room)
				if k := c.Ends(uint32(from), ends); !slices.Equal(ends[:k], want[:min(room, len(want))]) {
					t.Fatalf("%q from %d, room %d: %d, want %d", b, from, room, ends[:k], want)
				}
			}
		}
	}
}

// Ends from every place of regular texts, of which that is known or not.
func TestEndsOfExpected(t *testing.T) {
	r, c := rand.New(rand.NewPCG(17, 18)), new(Chunk)
	for range 300 {
		d, fields := dialects[r.IntN(len(dialects))], 1+r.IntN(5)
		var b strings.Builder
		for range r.IntN(40) + 800*(r.IntN(8)/7) { // at times more separators than are compared at once
			for i := range fields {
				b.WriteString(strings.Repeat("y", r.IntN(6)) + ",\n"[min(1, (i+1)/fields):][:1])
			}
		}
		text := d.in(b.String()[:max(0, b.Len()-r.IntN(4))])
		Best().Func(c, text, d, AtField)
		c.Expect(fields)
		var want []uint32
		for i, b := range text {
			if b == '\n' {
				want = append(want, uint32(i))
			}
		}
		if known := c.wide && len(want) > 0; known != (c.fields == fields) || known != (c.ending == len(want)) && known {
			t.Fatalf("%q, of %d fields: %d records of %d are expected", text, fields, c.ending, c.fields)
		}
		for from := range len(text) + 1 {
			if len(want) > 0 && want[0] < uint32(from) {
				want = want[1:]
			}
			ends := make([]uint32, 1+r.IntN(50))
			if k := c.Ends(uint32(from), ends); !slices.Equal(ends[:k], want[:min(len(ends), len(want))]) {
				t.Fatalf("%q from %d: %d, want %d", text, from, ends[:k], want)
			}
		}
	}
}

// The splitter and Chunk.Bad agree on the first bad byte of each record.
func TestFirstBadOfRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	c := new(Chunk)
	for i := range 2000 {
		d := dialects[i%len(dialects)]
		text := d.random(r, r.IntN(400), 1+r.IntN(8))
		markBytes(c, text, d, AtField)
		for _, rec := range split(text, d) {
			at, ok := c.FirstBad(rec.begin, rec.end)
			got := -1
			if ok {
				got = int(at - rec.begin)
			}
			if want := d.FirstBad(text[rec.begin:rec.end]); got != want {
				t.Fatalf("%q, %+v: %d, want %d", text[rec.begin:rec.end], d, got, want)
			}
		}
	}
}

func TestSplitStops(t *testing.T) {
	calls := 0
	Dialect{Delim: ','}.Split([]byte("a,b,c"), func(field, from, to int) bool {
		calls++
		return field < 1
	})
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
}

func TestUnquote(t *testing.T) {
	d := Dialect{Delim: ',', Quote: '"', Quoted: true}
	for field, want := range map[string]string{
		``: ``, `a`: `a`, `""`: ``, `"a"`: `a`, `"a""b"`: `a"b`, `""""`: `"`, `""""""`: `""`,
		`"a`: `a`, `"`: ``, `"""`: `"`, `a"b"`: `a"b"`, `"a"b`: `ab`, `"a"b"c""d"`: `ab"c""d"`, `"a" "b"`: `a "b"`, ` "a"`: ` "a"`, `"a,b` + "\n" + `c"`: "a,b\nc",
	} {
		if got := d.Unquote([]byte("x"), []byte(field)); string(got) != "x"+want {
			t.Errorf("%s: %s, want x%s", field, got, want)
		}
		if got := (Dialect{Delim: ','}).Unquote(nil, []byte(field)); string(got) != field {
			t.Errorf("%s without quoting: %s", field, got)
		}
		single := strings.ReplaceAll(field, `"`, `'`)
		if got := (Dialect{',', '\'', true}).Unquote(nil, []byte(single)); string(got) != strings.ReplaceAll(want, `"`, `'`) {
			t.Errorf("%s: %s", single, got)
		}
	}
}

// FuzzLocate compares batches of every variant with the splitter.
func FuzzLocate(f *testing.F) {
	for i, text := range nasty {
		f.Add([]byte(text), uint8(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, dialect uint8, seed uint64) {
		if len(b) > ChunkBytes {
			return
		}
		d := dialects[int(dialect)%len(dialects)]
		for _, v := range variants {
			if cpu.Has(v.ISA) {
				c, text := new(Chunk), d.in(string(b))
				v.Func(c, text, d, AtField)
				compare(t, c, text, d, rand.New(rand.NewPCG(seed, 0)))
			}
		}
	})
}

// What a longer text left after the list of places is not mistaken for the text's own places.
func TestListLeftOver(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		c, d := new(Chunk), Dialect{Delim: ','}
		mark(c, d.in("a\nb\ncd\n"), d, AtField) // separators at 1, 3 and 6
		mark(c, d.in("abc\nef\n"), d, AtField)  // at 3 and 6
		ends := make([]uint32, 9)
		if k := c.Ends(0, ends); k != 2 || ends[0] != 3 || ends[1] != 6 {
			t.Fatalf("ends are %d", ends[:k])
		}
		if odd := c.Ragged(4, ends[1:2], 2, nil); len(odd) != 1 {
			t.Errorf("one field is taken for two: %v", odd)
		}
	})
}
