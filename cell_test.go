package thresh_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// TestCells: each value is what it converts to, and an error where it does not fit.
func TestCells(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	moment := time.Date(2026, 11, 23, 10, 35, 7, 250_000_000, time.FixedZone("", 3600))
	for _, test := range []struct {
		cell                  answer.Cell
		text                  string
		whole, float, rat, at any // nil: it does not fit
	}{
		{answer.Cell{Null: true}, "", nil, nil, nil, nil},
		{answer.Cell{Null: true, Type: answer.ColumnInteger}, "", nil, nil, nil, nil},
		{answer.Cell{Text: []byte("a")}, "a", nil, nil, nil, nil},
		{answer.Cell{Text: []byte("07")}, "07", int64(7), 7.0, "7/1", nil},
		{answer.Cell{Text: []byte("-2.50")}, "-2.50", nil, -2.5, "-5/2", nil},
		{answer.Cell{Text: []byte("1e3")}, "1e3", int64(1000), 1000.0, "1000/1", nil},
		{answer.Cell{Text: []byte("1e999999999")}, "1e999999999", nil, nil, nil, nil},
		{answer.Cell{Text: []byte("+Inf")}, "+Inf", nil, nil, nil, nil},
		{answer.Cell{Text: []byte("0x7")}, "0x7", nil, nil, nil, nil},
		{answer.Cell{Text: []byte("7/2")}, "7/2", nil, nil, nil, nil},
		{answer.Cell{Text: []byte("2026-11-23")}, "2026-11-23", nil, nil, nil, time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)},
		{answer.Cell{Text: []byte("2026-11-23T10:35:07.25+01:00")}, "2026-11-23T10:35:07.25+01:00", nil, nil, nil, moment},
		{answer.Cell{Int: -7, Type: answer.ColumnInteger}, "-7", int64(-7), -7.0, "-7/1", nil},
		{answer.Cell{Int: 1250, Type: answer.ColumnDecimal, Scale: 2}, "12.50", nil, 12.5, "25/2", nil},
		{answer.Cell{Int: 1200, Type: answer.ColumnDecimal, Scale: 2}, "12.00", int64(12), 12.0, "12/1", nil},
		{answer.Cell{Int: -5, Type: answer.ColumnDecimal, Scale: 3}, "-0.005", nil, -0.005, "-1/200", nil},
		{answer.Cell{Int: 5, Type: answer.ColumnDecimal}, "5", int64(5), 5.0, "5/1", nil},
		{answer.Cell{Big: huge, Type: answer.ColumnDecimal, Scale: 1}, "12345678901234567890123456789.0", nil,
			1.2345678901234568e28, "12345678901234567890123456789/1", nil},
		{answer.Cell{Big: new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil), Type: answer.ColumnDecimal},
			"1" + strings.Repeat("0", 400), nil, nil, "1" + strings.Repeat("0", 400) + "/1", nil},
		{answer.Cell{Float: 0.1, Type: answer.ColumnFloat}, "0.1", nil, 0.1, "3602879701896397/36028797018963968", nil},
		{answer.Cell{Float: 4, Type: answer.ColumnFloat}, "4", int64(4), 4.0, "4/1", nil},
		{answer.Cell{Float: math.Inf(1), Type: answer.ColumnFloat}, "+Inf", nil, math.Inf(1), nil, nil},
	} {
		if got := test.cell.String(); got != test.text || test.cell.IsNull() != test.cell.Null {
			t.Errorf("%+v is %q, want %q", test.cell, got, test.text)
		}
		whole, wholeErr := test.cell.Int64()
		fits(t, test.cell, whole, wholeErr, test.whole)
		float, floatErr := test.cell.Float64()
		fits(t, test.cell, float, floatErr, test.float)
		rat, ratErr := test.cell.Rat()
		if rat == nil {
			rat = new(big.Rat)
		}
		fits(t, test.cell, rat.String(), ratErr, test.rat)
		at, timeErr := test.cell.Time()
		if want, ok := test.at.(time.Time); ok && at.Equal(want) {
			at = want
		}
		fits(t, test.cell, at, timeErr, test.at)
	}
}

func fits(t *testing.T, c answer.Cell, got any, err error, want any) {
	t.Helper()
	unfit := (*failure.ValueError)(nil)
	if (want == nil) != errors.As(err, &unfit) || want != nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%+v: %v, %v, want %v", c, got, err, want)
	}
}

type sold struct {
	City   string
	Orders uint32   `thresh:"count"`
	Sum    *big.Rat `thresh:"the sum"`
	Mean   *float64 `thresh:"mean(amount)"`
	First  time.Time
	Raw    answer.Cell `thresh:"the sum"`
	Other  int         `thresh:"-"`
	hidden int
}

// TestScanRows: keys and aggregates made from values, and rows read back into structs by the names of columns.
func TestScanRows(t *testing.T) {
	const text = "city,amount,odd `name`,day\nRom,1.50,x,2026-11-23\nRom,2.25,y,2026-11-24\nBonn,,z,2026-11-25\n"
	var answers answer.Tables
	ask := func(q thresh.Question) *answer.Table {
		t.Helper()
		answers = nil
		spec := thresh.TableSpec{Dialect: thresh.CSV(), Questions: []thresh.Question{q},
			Where: thresh.QuoteColumn("odd `name`") + " != " + thresh.QuoteText(`"`)}
		if _, err := thresh.Table(t.Context(), thresh.FromBytes([]byte(text)), spec, options.Scan{}, &answers); err != nil {
			t.Fatal(err)
		}
		return &answers[0]
	}
	groups := ask(thresh.Groups{Keys: thresh.KeyColumns("city"), Aggregates: thresh.Aggregates(
		thresh.Aggregate{Function: "count"}, thresh.Aggregate{Function: "sum", Column: "amount", As: "the sum"},
		thresh.Aggregate{Function: "mean", Column: "amount"}, thresh.Aggregate{Function: "min", Column: "day", As: "first"})})
	rows, err := answer.ScanRows[sold](groups)
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	bonn, rom := rows[0], rows[1]
	if rom.City != "Rom" || rom.Orders != 2 || rom.Sum.RatString() != "15/4" || rom.Mean == nil || *rom.Mean != 1.875 ||
		!rom.First.Equal(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)) || rom.Raw.String() != "3.75" || rom.Other+rom.hidden != 0 {
		t.Errorf("%+v", rom)
	}
	if bonn.City != "Bonn" || bonn.Mean != nil || bonn.Sum != nil || !bonn.Raw.IsNull() {
		t.Errorf("%+v", bonn)
	}
	var named answer.Tables // by a statement, with the same names
	name := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	statement := fmt.Sprintf(`select city, count(*) as count, sum(amount) as "the sum", avg(amount) as "mean(amount)",
		min(day) as first from '%s' group by city`, name)
	_, err = thresh.SQL(t.Context(), statement, thresh.SQLOptions{}, &named)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := answer.ScanRows[sold](&named[0]); err != nil || !reflect.DeepEqual(same, rows) {
		t.Errorf("by SQL %+v, %v, want %+v", same, err, rows)
	}
	named = nil
	_, err = thresh.SQL(t.Context(), fmt.Sprintf("select city, amount, day from '%s'", name), thresh.SQLOptions{}, &named)
	if err != nil {
		t.Fatal(err)
	}
	type record struct {
		City   string
		Amount *float64
		Day    time.Time
	}
	if all, err := answer.ScanRows[record](&named[0]); err != nil || len(all) != 3 || *all[1].Amount != 2.25 || all[2].Amount != nil {
		t.Errorf("records by SQL: %+v, %v", all, err)
	}
	quoted := ask(thresh.TopKeys{Keys: thresh.KeyColumns("odd `name`")})
	if len(quoted.Rows) != 3 {
		t.Errorf("%+v", quoted.Rows)
	}
	unfit, option := (*failure.ValueError)(nil), (*failure.OptionError)(nil)
	if err := groups.Scan(0, new(struct{ City int })); !errors.As(err, &unfit) || !strings.Contains(err.Error(), "city") {
		t.Errorf("a text into a number: %v", err)
	}
	if err := groups.Scan(0, new(struct {
		M float64 `thresh:"mean(amount)"`
	})); !errors.As(err, &unfit) || !unfit.Null {
		t.Errorf("null into a number: %v", err)
	}
	if err := groups.Scan(1, new(struct{ Count int8 })); err != nil {
		t.Error(err)
	}
	if err := groups.Scan(0, new(struct{ Cyti string })); err == nil || !strings.Contains(err.Error(), "Cyti") {
		t.Errorf("a field without a column: %v", err)
	}
	for _, to := range []any{nil, sold{}, (*sold)(nil), new(int)} {
		if err := groups.Scan(0, to); !errors.As(err, &option) {
			t.Errorf("into %T: %v", to, err)
		}
	}
	if err := groups.Scan(2, new(sold)); !errors.As(err, &option) || option.Field != "row" {
		t.Errorf("a row that is not there: %v", err)
	}
}
