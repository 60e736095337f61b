package table

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestColumns describes the columns of random tables, as the records of the twin tell.
func TestColumns(t *testing.T) {
	for _, n := range []int{0, 7} {
		if n > 0 {
			threshold.Shrink(t, n)
		}
		for seed := range uint64(60) {
			c := tabletest.Random(seed)
			c.Question.Asks = []tabletest.Ask{{Kind: tabletest.Select}}
			want, wantErr := tabletest.Answer(c.Files, c.Question)
			if wantErr != nil || len(want.Answers[0]) == 1 {
				continue
			}
			var names []string
			for i, content := range c.Files {
				name := filepath.Join(t.TempDir(), strconv.Itoa(i))
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			spec := specOf(c.Question)
			spec.Questions = []query.Question{{Kind: query.Columns}}
			r, out, err := answerTable(t, names, spec, way{piece: []int{1 << 20, 5, 64}[seed%3], workers: 1 + int(seed%3),
				stream: seed%2 == 0, mem: 1 << 20})
			if err != nil || len(r.Report.bad) > 0 {
				t.Fatalf("seed %d: %v, %v", seed, err, r.Report.bad)
			}
			for column, got := range out.answers[0][1:] {
				if want := described(want.Answers[0][1:], column); !sameColumn(got[1:], want) {
					t.Fatalf("seed %d, column %d: %q, want %q; %q", seed, column, got[1:], want, c.Files)
				}
			}
		}
	}
}

// described describes a column of some records.
func described(rows [][]string, column int) []string {
	empty, widest, numbers, all := 0, 0, true, map[string]bool{}
	least, greatest := "", ""
	var low, high *big.Rat
	for _, row := range rows {
		field := row[column]
		if field == tabletest.Null {
			empty++
			continue
		}
		if len(all) == 0 || field < least {
			least = field
		}
		greatest = max(greatest, field)
		all[field] = true
		widest = max(widest, len(field))
		n, ok := new(big.Rat).SetString(strings.Trim(field, " "))
		if ok = ok && strings.Trim(field, "+-0123456789.eE ") == ""; !ok {
			numbers = false
			continue
		}
		if low == nil || n.Cmp(low) < 0 {
			low = n
		}
		if high == nil || n.Cmp(high) > 0 {
			high = n
		}
	}
	kind := "text"
	switch {
	case len(all) == 0:
		kind, least, greatest = "null", tabletest.Null, tabletest.Null
	case numbers:
		kind, least, greatest = "number", low.FloatString(30), high.FloatString(30)
	}
	return []string{kind, strconv.Itoa(empty), strconv.Itoa(len(all)), least, greatest, strconv.Itoa(widest)}
}

// sameColumn compares descriptions. Numbers are compared as float64, which is what those with an exponent are.
func sameColumn(got, want []string) bool {
	if isTimes := got[0] == "date" || got[0] == "timestamp"; isTimes && want[0] == "text" {
		// TestShapes tells times from texts.
		return timeLike.MatchString(got[3]) && timeLike.MatchString(got[4]) && slices.Equal(got[1:3], want[1:3]) && got[5] == want[5]
	}
	if want[0] != "number" {
		return fmt.Sprint(got) == fmt.Sprint(want)
	}
	for _, i := range []int{3, 4} {
		a, err1 := strconv.ParseFloat(got[i], 64)
		b, err2 := strconv.ParseFloat(want[i], 64)
		if err1 != nil || err2 != nil || a != b {
			return false
		}
	}
	kinds := map[string]bool{"integer": true, "decimal": true, "float": true}
	return kinds[got[0]] && got[1] == want[1] && got[2] == want[2] && got[5] == want[5]
}

var timeLike = regexp.MustCompile(`^\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?$`)

// TestShapes compares dates and times with package time.
func TestShapes(t *testing.T) {
	for text, want := range map[string]shape{
		"true": isBoolean, "False": isBoolean, "truth": 0, "": 0, "2026-11-23": isDate | isTime, "2026-02-29": 0, "2024-02-29": isDate | isTime,
		"1900-02-29": 0, "2000-02-29": isDate | isTime, "2026-13-01": 0, "2026-00-10": 0, "2026-04-31": 0, "2026-4-30": 0, "2026-11-23 ": isDate | isTime,
		"2026-11-23T10:35": isTime, "2026-11-23 10:35:59": isTime, "2026-11-23T10:35:59.123456789Z": isTime, "2026-11-23T10:35:59.Z": 0,
		"2026-11-23T24:00": 0, "2026-11-23T10:60": 0, "2026-11-23T10:35:61": 0, "2026-11-23T10:35+01:00": isTime,
		"2026-11-23T10:35:00-0130": isTime, "2026-11-23T10:35:00+1": 0, "2026-11-23T10": 0, "2026-11-23T10:35:00X": 0,
	} {
		if got := shapesOf([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for day := time.Date(1999, 12, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2005; day = day.AddDate(0, 0, 1) {
		if shapesOf([]byte(day.Format(time.DateOnly))) != isDate|isTime || shapesOf([]byte(day.Format(time.RFC3339))) != isTime {
			t.Errorf("%v is no date", day)
		}
	}
	for day := range 40 {
		text := fmt.Sprintf("2023-02-%02d", day)
		_, err := time.Parse(time.DateOnly, text)
		if (shapesOf([]byte(text)) == isDate|isTime) != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestColumnsOfEmpty: a table without records has no columns, one with a header has those of the header.
func TestColumnsOfEmpty(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a,b\n": 2} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := query.Spec{Dialect: query.Dialect{Delim: ',', Header: true}, Questions: []query.Question{{Kind: query.Columns}}}
		_, out, err := answerTable(t, []string{name}, spec,
			way{piece: 100, workers: 1})
		if err != nil || len(out.answers[0])-1 != want {
			t.Errorf("%q: %v, %v", text, out, err)
		}
	}
	r, err := NewRun(query.Spec{Dialect: query.Dialect{Delim: ','}, Questions: []query.Question{{Kind: query.Columns}, {Kind: query.Rows}}}, Options{})
	if err == nil {
		err = r.Answer(context.Background(), &collected{})
	}
	if err == nil || !strings.Contains(err.Error(), "only question") {
		t.Errorf("two questions: %v", err)
	}
}
