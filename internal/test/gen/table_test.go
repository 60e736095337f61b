package gen

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// made returns the output of a generator.
func made(t testing.TB, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type sized func(w io.Writer, bytes int64, seed uint64) error

func TestTablesAreSeededAndWhole(t *testing.T) {
	hits := func(delim byte) sized {
		return func(w io.Writer, bytes int64, seed uint64) error { return Hits(w, bytes, seed, delim) }
	}
	for name, write := range map[string]sized{"donations": Donations, "orders": Orders, "orders-plain": OrdersPlain,
		"hits": hits(','), "hits-tabs": hits('\t')} {
		const size = 3_000_000 // several blocks
		of := func(bytes int64, seed uint64) []byte {
			return made(t, func(w io.Writer) error { return write(w, bytes, seed) })
		}
		all := of(size, 1)
		if len(all) > size || len(all) < size-2000 || all[len(all)-1] != '\n' {
			t.Errorf("%s: %d bytes do not end with the last whole row below %d", name, len(all), size)
		}
		if !bytes.Equal(all, of(size, 1)) || bytes.Equal(all, of(size, 2)) {
			t.Errorf("%s: equal seeds must give equal bytes, different seeds different ones", name)
		}
		if less := of(size/2, 1); !bytes.HasPrefix(all, less) {
			t.Errorf("%s: a smaller file is not a prefix of a larger one", name)
		}
		old := runtime.GOMAXPROCS(7)
		if !bytes.Equal(all, of(size, 1)) {
			t.Errorf("%s: the bytes depend on the number of processors", name)
		}
		runtime.GOMAXPROCS(old)
	}
}

// TestDonationsAreLikeTheRealOnes compares the file with figures measured on 10,000 rows of the real
// one.
func TestDonationsAreLikeTheRealOnes(t *testing.T) {
	data := made(t, func(w io.Writer) error { return Donations(w, 20_000_000, 3) })
	rows := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	n := float64(len(rows))
	var fieldBytes, empty [21]float64
	first, months := map[string]int{}, map[string]int{}
	commas := map[int]float64{}
	negative, nineDigits := 0.0, 0.0
	firstName := regexp.MustCompile(", *([^, ]+)")
	for _, row := range rows {
		f := strings.Split(row, "|")
		if len(f) != 21 {
			t.Fatalf("%d fields in %q", len(f), row)
		}
		for i, field := range f {
			fieldBytes[i] += float64(len(field)) / n
			if field == "" {
				empty[i] += 1 / n
			}
		}
		if m := firstName.FindStringSubmatch(f[7]); m != nil {
			first[m[1]]++
		}
		if len(f[4]) != 18 && len(f[4]) != 11 || !regexp.MustCompile(`^(0[1-9]|1[0-2])[0-3][0-9]201[4-8]$`).MatchString(f[13]) {
			t.Fatalf("image number %q or date %q", f[4], f[13])
		}
		months[f[4][:6]]++
		commas[strings.Count(f[7], ",")]++
		if strings.HasPrefix(f[14], "-") {
			negative += 1 / n
		}
		if len(f[10]) == 9 {
			nineDigits += 1 / n
		}
		if _, err := strconv.Atoi(f[14]); err != nil {
			t.Fatalf("amount %q", f[14])
		}
	}
	near := func(what string, got, want, within float64) {
		if math.Abs(got-want) > within {
			t.Errorf("%s: %.4f, the real file has %.4f", what, got, want)
		}
	}
	near("bytes a row", float64(len(data))/n-1, 191.29, 4)
	for i, want := range [21]float64{9, 1, 2.32, 0.9, 17.92, 2.41, 3, 15.51, 9.06, 2, 7.24, 13.6, 12.98, 8, 2.23, 3.56, 13.31,
		7, 0, 21.24, 19} {
		near("bytes of field "+strconv.Itoa(i+1), fieldBytes[i], want, 0.05+want/6)
	}
	for i, want := range map[int]float64{3: 0.1009, 8: 0.0003, 9: 0.0015, 11: 0.0413, 12: 0.0407, 15: 0.604, 18: 0.9944, 19: 0.4795} {
		near("empty fields "+strconv.Itoa(i+1), empty[i], want, 0.002+want/8)
	}
	near("negative amounts", negative, 0.0175, 0.006)
	near("ZIP codes of nine digits", nineDigits, 0.5622, 0.02)
	near("names without a comma", commas[0]/n, 0.0015, 0.0007)
	near("names with two commas", commas[2]/n, 0.001, 0.002)
	near("rows of JOHN", float64(first["JOHN"])/n, 0.0252, 0.006)
	counts := make([]int, 0, len(first))
	for _, count := range first {
		counts = append(counts, count)
	}
	slices.Sort(counts)
	top := 0
	for _, count := range counts[len(counts)-60:] {
		top += count
	}
	near("rows of the 60 commonest first names", float64(top)/n, 0.398, 0.06)
	if len(first) < 4000 || len(months) < 36 || months["201711"] < months["201703"] {
		t.Errorf("%d first names and %d months, or their order differs from the real file's", len(first), len(months))
	}
}

func TestMeasurements(t *testing.T) {
	shape := regexp.MustCompile(`^-?\d{1,2}\.\d$`)
	for stations, at := range map[int]Stations{413: {}, 500: {MadeUp: 500}} {
		const rows = blockRows*3 + 17
		write := func(w io.Writer) error { return Measurements(w, rows, 1, at) }
		data := made(t, write)
		if !bytes.Equal(data, made(t, write)) {
			t.Error("the same seed must give the same bytes")
		}
		sums, counts := map[string]float64{}, map[string]float64{}
		n := 0
		for line := range strings.Lines(string(data)) {
			name, number, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ";")
			if !shape.MatchString(number) || len(name) < 1 || len(name) > 100 || !utf8.ValidString(name) {
				t.Fatalf("row %q", line)
			}
			v, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			sums[name] += v
			counts[name]++
			n++
		}
		if n != rows || len(sums) != stations {
			t.Errorf("%d rows of %d stations, want %d of %d", n, len(sums), rows, stations)
		}
		if mean := sums["Oslo"] / counts["Oslo"]; stations == 413 && math.Abs(mean-5.7) > 4 {
			t.Errorf("the mean in Oslo is %.1f", mean)
		}
	}
}

func TestOrders(t *testing.T) {
	quoted := made(t, func(w io.Writer) error { return Orders(w, 2_000_000, 1) })
	plain := made(t, func(w io.Writer) error { return OrdersPlain(w, 2_000_000, 1) })
	if len(plain) != len(quoted) || bytes.Contains(plain, []byte(`"`)) {
		t.Errorf("%d and %d bytes: the plain orders must have the same length and no quotes", len(quoted), len(plain))
	}
	records, err := csv.NewReader(bytes.NewReader(quoted)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0], ","); got+"\n" != ordersHeader {
		t.Errorf("the header is %q", got)
	}
	special := 0
	for _, r := range records[1:] {
		if _, err := strconv.ParseFloat(r[3], 64); err != nil || len(r) != 5 {
			t.Fatalf("record %q", r)
		}
		if strings.ContainsAny(r[4], ",\"\n") {
			special++
		}
	}
	if part := float64(special) / float64(len(records)); part < 0.3 || part > 0.37 {
		t.Errorf("%.2f of the records have a note in quotes", part)
	}
	if lines := bytes.Count(plain, []byte("\n")); lines != len(records) {
		t.Errorf("%d plain orders and %d quoted ones", lines, len(records))
	}
}

func TestKeys(t *testing.T) {
	for _, distinct := range []int64{1, 1000, 30_000, 100_000} {
		const rows = 100_000
		data := made(t, func(w io.Writer) error { return Keys(w, rows, distinct, 1) })
		seen := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ",")
			if v, err := strconv.Atoi(value); err != nil || v > 999 || len(key) < 12 || len(key) > 20 {
				t.Fatalf("row %q", line)
			}
			seen[key] = true
		}
		if int64(len(seen)) != distinct || bytes.Count(data, []byte("\n")) != rows {
			t.Errorf("%d distinct keys, want %d", len(seen), distinct)
		}
	}
	if Keys(io.Discard, 10, 0, 1) == nil {
		t.Error("no error for 0 keys")
	}
}

func TestPrices(t *testing.T) {
	const rows, groups = 100_001, 20
	data := made(t, func(w io.Writer) error { return Prices(w, rows, groups, 1) })
	counts := map[string]int{}
	for line := range strings.Lines(string(data)) {
		group, price, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ",")
		if v, err := strconv.ParseFloat(price, 64); err != nil || v >= 100_000 || price[len(price)-3] != '.' {
			t.Fatalf("row %q", line)
		}
		counts[group]++
	}
	if len(counts) != groups || counts["group-0"] != rows/groups+1 || counts["group-19"] != rows/groups {
		t.Errorf("%d groups: %v", len(counts), counts)
	}
	if Prices(io.Discard, 10, 0, 1) == nil {
		t.Error("no error for 0 groups")
	}
}

var errFull = errors.New("no room")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	for name, err := range map[string]error{
		"bytes": Donations(fullWriter{}, 5_000_000, 1),
		"rows":  Keys(fullWriter{}, 200_000, 10, 1),
		"more":  Prices(fullWriter{}, 200_000, 10, 1),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkTables(b *testing.B) {
	const bytes = 256 << 20
	for name, write := range map[string]sized{"donations": Donations, "orders": Orders} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				if err := write(io.Discard, bytes, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestHits: the columns are what HitsColumns says, in both dialects, and of the kinds that questions are about.
func TestHits(t *testing.T) {
	quoted, err := csv.NewReader(bytes.NewReader(made(t, func(w io.Writer) error { return Hits(w, 1_000_000, 1, ',') }))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var tabs [][]string
	for line := range strings.Lines(string(made(t, func(w io.Writer) error { return Hits(w, 1_000_000, 1, '\t') }))) {
		tabs = append(tabs, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	columns, empty := HitsColumns(), map[string]int{}
	for i, row := range quoted {
		if len(row) != len(columns)/2 || len(row) != hitsColumns || i < len(tabs) && !slices.Equal(row, tabs[i]) {
			t.Fatalf("row %d: %q, with tabs %q", i, row, tabs[i])
		}
		for c, field := range row {
			name, kind := columns[2*c], columns[2*c+1]
			_, err := strconv.ParseInt(field, 10, 64)
			switch {
			case i == 0 && field != name, i > 0 && (err == nil) != (kind == "BIGINT") && kind != "VARCHAR":
				t.Fatalf("row %d: %s is %q", i, name, field)
			case field == "":
				empty[name]++
			}
		}
	}
	rows := len(quoted)
	if empty["search"] < rows*8/10 || empty["title"] > rows/4 || empty["url"] > 0 || len(empty) < 5 {
		t.Errorf("of %d rows these texts are empty: %v", rows, empty)
	}
}

// TestGroupsAndShop: the rows are as many as wanted, the same for any number of processors, and what joins joins.
func TestGroupsAndShop(t *testing.T) {
	rows := func(write func(w io.Writer) error) (all [][]string, text []byte) {
		text = made(t, write)
		for line := range strings.Lines(string(text)) {
			all = append(all, strings.FieldsFunc(line, func(c rune) bool { return c == '|' || c == '\n' }))
		}
		return all, text
	}
	groups := func(w io.Writer) error { return Groups(w, 70_000, 10, true, 1) }
	all, text := rows(groups)
	if len(all) != 70_001 || bytes.Count(text, []byte(",,")) < 10_000 || !bytes.Contains(text, []byte(",id0000006")) {
		t.Errorf("%d rows of groups, %d nulls: %.200s", len(all), bytes.Count(text, []byte(",,")), text)
	}
	old := runtime.GOMAXPROCS(7)
	defer runtime.GOMAXPROCS(old)
	if !bytes.Equal(text, made(t, groups)) {
		t.Error("the bytes depend on the number of processors")
	}
	sales, _ := rows(func(w io.Writer) error { return Shop()[0].Write(w, 40_000, 1) })
	for i, n := range []int{40_000, 10_000, 1333} {
		table := Shop()[i]
		of, _ := rows(func(w io.Writer) error { return table.Write(w, 40_000, 1) })
		if len(of) != n || len(of[n-1]) != len(table.Columns)/2 || of[n-1][0] != strconv.Itoa(n/[]int{linesOfOrder, 1, 1}[i]) {
			t.Errorf("%s: %d rows, the last is %q", table.Name, len(of), of[len(of)-1])
		}
		for _, sale := range sales {
			if product, err := strconv.Atoi(sale[1]); err != nil || product < 1 || product > 1333 {
				t.Fatalf("a sale of no product: %q", sale)
			}
		}
	}
}
