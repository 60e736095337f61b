package sqldriver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/sqldriver"
)

const orders = `id,city,country,amount,day
1,Rome,IT,10.50,2026-11-23
2,Oslo,NO,,2026-11-24
3,O'Hare,US,-7,2026-11-24 10:00:00+01:00
4,"",US,"1e3",not a day
`

// open returns a database of a folder with orders.csv, and checks at the end that no goroutine is left.
func open(t *testing.T, options string) *sql.DB {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "orders.csv"), []byte(orders), 0o600); err != nil {
		t.Fatal(err)
	}
	return database(t, folder+options)
}

func database(t *testing.T, name string) *sql.DB {
	t.Helper()
	before := runtime.NumGoroutine()
	db, err := sql.Open("thresh", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
			if wait > 10*time.Second {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%d goroutines, and %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
			time.Sleep(wait)
		}
	})
	return db
}

// allRows returns the rows of a statement as text.
func allRows(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		return "error: " + err.Error()
	}
	defer rows.Close()
	var b strings.Builder
	for {
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "%v", v)
			}
			b.WriteByte('\n')
		}
		if !rows.NextResultSet() {
			break
		}
		b.WriteString("--\n")
	}
	if err := rows.Err(); err != nil {
		return b.String() + "error: " + err.Error()
	}
	return b.String()
}

// TestParameters: values are constants, whatever is in them, and nothing in quotes or comments is a parameter.
func TestParameters(t *testing.T) {
	db := open(t, "")
	moment := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		query string
		args  []any
		want  string
	}{
		{"select id from 'orders.csv' where city = ?", []any{"O'Hare"}, "3\n"},
		{"select id from 'orders.csv' where city = ?", []any{"' or '1' = '1"}, ""},
		{"select id from 'orders.csv' where city = ? -- why?\n and country = ?", []any{"", "US"}, "4\n"},
		{"select id from 'orders.csv' where city = $2 and country = $1 /* $3 ? */", []any{"IT", "Rome"}, "1\n"},
		{"select id from 'orders.csv' where amount = $1 or amount = -$1", []any{7}, "3\n"},
		{"select id from 'orders.csv' where amount = -?", []any{-10.5}, "1\n"},
		{"select id from 'orders.csv' where amount - ? = 0", []any{-7}, "3\n"},
		{"select id from 'orders.csv' where amount > ?", []any{1e2}, "4\n"},
		{"select id from 'orders.csv' where day::timestamp = ?", []any{moment}, "3\n"},
		{"select id from 'orders.csv' where day::timestamp = ?", []any{moment.In(time.FixedZone("", 7200))}, "3\n"},
		{"select id, ? as a, ? as b, '?' as c from 'orders.csv' limit ?", []any{nil, []byte("x"), 1}, "1,<nil>,x,?\n"},
		{"select count(*) from 'orders.csv' where (amount is null) = ?", []any{true}, "1\n"},
		{"select id from 'orders.csv' where city = 'a'?", []any{" or true --"}, "error: "},
		{"select id from 'orders.csv' where city = ?", nil, "error: "},
		{"select id from 'orders.csv' where city = ?", []any{1, 2}, "error: the statement has no parameter for value 2 of 2"},
		{"select id from 'orders.csv' where city = ? or ?", []any{1}, "error: the statement has 2 parameters, and there are 1 value"},
		{"select id from 'orders.csv' where city = $3", []any{1, 2}, "error: the statement has the parameter $3, and there are 2 values"},
		{"select id from 'orders.csv' where city = ?", []any{sql.Named("city", "Rome")}, "error: the parameter city has a name"},
	} {
		got := allRows(t, db, test.query, test.args...)
		if got != test.want && !(strings.HasPrefix(test.want, "error: ") && strings.HasPrefix(got, test.want)) {
			t.Errorf("%s %v: got %q, want %q", test.query, test.args, got, test.want)
		}
	}
	if got := allRows(t, db, "select $1 as a, $4::double as b from 'orders.csv' limit 1"); got != "1,10.5\n" {
		t.Errorf("columns by number: %q", got)
	}
}

// TestTypes: what values and columns are.
func TestTypes(t *testing.T) {
	db := open(t, "?parsetime=true")
	rows, err := db.Query("select city, count(*) as n, sum(amount) as sold, max(amount::double) as most, min(day) as first " +
		"from 'orders.csv' where id < 4 group by city order by city desc")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range types {
		names = append(names, fmt.Sprint(c.Name(), " ", c.DatabaseTypeName(), " ", c.ScanType()))
	}
	if got := strings.Join(names, ", "); got != "city VARCHAR interface {}, n BIGINT int64, sold DECIMAL string, "+
		"most DOUBLE float64, first VARCHAR interface {}" {
		t.Error(got)
	}
	if _, scale, ok := types[2].DecimalSize(); scale != 2 || !ok {
		t.Error("scale", scale, ok)
	}
	var (
		city  string
		n     int8
		sold  sql.Null[string]
		most  *float64
		first time.Time
		got   []string
	)
	for rows.Next() {
		if err := rows.Scan(&city, &n, &sold, &most, &first); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d %q %v %s", city, n, sold.V, most == nil, first.Format(time.RFC3339)))
	}
	want := []string{`Rome 1 "10.50" false 2026-11-23T00:00:00Z`, `Oslo 1 "" true 2026-11-24T00:00:00Z`,
		`O'Hare 1 "-7.00" false 2026-11-24T10:00:00+01:00`}
	if err := rows.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestSets: several statements are result sets; what is not answered is not in them.
func TestSets(t *testing.T) {
	db := open(t, "")
	const two = "select country, count(*) from 'orders.csv' group by 1; select id from 'orders.csv' where id > 3"
	if got := allRows(t, db, two); got != "IT,1\nNO,1\nUS,2\n--\n4\n" {
		t.Errorf("%q", got)
	}
	rows, err := db.Query(two)
	id := 0
	if err != nil || !rows.Next() || !rows.NextResultSet() || !rows.Next() || rows.Scan(&id) != nil || id != 4 || rows.NextResultSet() {
		t.Errorf("the second answer before the first has ended: %d, %v", id, errors.Join(err, rows.Err()))
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Error(err)
	}
	if got := allRows(t, db, "select id from 'orders.csv' where id = 1; select id from 'no.csv'"); !strings.HasPrefix(got, "1\n") ||
		!strings.Contains(got, "no.csv") {
		t.Errorf("a second statement that fails: %q", got)
	}
}

// TestFiles: names go from the folder of the data source, unless they say all, or standard input. A file of which a part
// cannot be read is an error.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, text []byte) string {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, orders); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	whole := write("orders.csv", []byte(orders))
	write("cut.csv.gz", packed.Bytes()[:packed.Len()-8])
	db := database(t, folder)
	if got := allRows(t, database(t, t.TempDir()), fmt.Sprintf("select count(*) from '%s'", whole)); got != "4\n" {
		t.Errorf("a whole name: %q", got)
	}
	stdin, err := os.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = stdin
	if got := allRows(t, db, "select count(*) from '-'"); got != "4\n" {
		t.Errorf("standard input: %q", got)
	}
	for _, query := range []string{"select id from 'cut.csv.gz'", "select count(*) from 'cut.csv.gz'"} {
		rows, err := db.Query(query)
		if err == nil {
			for rows.Next() {
			}
			err = errors.Join(rows.Err(), rows.Close())
		}
		if unread := (*failure.UnreadError)(nil); !errors.As(err, &unread) {
			t.Errorf("%s: a file that is cut off: %v", query, err)
		}
	}
}

// damaged is records of which those from a byte on cannot be read.
type damaged struct{ from int64 }

func (d damaged) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		if p[i] = "1,2\n"[(off+int64(i))%4]; off+int64(i) >= d.from {
			return i, io.ErrUnexpectedEOF
		}
	}
	return len(p), nil
}

// TestIncomplete: an answer from a part of a file is an error, and no report says that it was answered.
func TestIncomplete(t *testing.T) {
	c := &sqldriver.Connector{Report: func(r answer.TableReport) { t.Errorf("%+v", r) }}
	c.Options.Callbacks.Remote = func(name string) (*thresh.Input, error) {
		return thresh.FromReaderAt(name, damaged{3 << 20}, 4<<20)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	if got := allRows(t, db, "select count(*) from 's3://bucket/a.csv'"); !strings.Contains(got, "error: ") || !strings.Contains(got, "unread") {
		t.Errorf("%q", got)
	}
}

// TestRefused: what the driver does not do is said.
func TestRefused(t *testing.T) {
	db := open(t, "")
	_, err := db.Exec("delete from 'orders.csv'")
	_, txErr := db.Begin()
	prepared, prepareErr := db.Prepare("select id from 'orders.csv' where id = ?")
	if prepareErr != nil {
		t.Fatal(prepareErr)
	}
	_, stmtErr := prepared.Exec(1)
	for _, err := range []error{err, txErr, stmtErr} {
		if err == nil || !strings.Contains(err.Error(), "thresh only reads") {
			t.Error(err)
		}
	}
	var id int
	if err := prepared.QueryRow(2).Scan(&id); err != nil || id != 2 {
		t.Error(id, err)
	}
	if err := prepared.Close(); err != nil {
		t.Error(err)
	}
	for query, want := range map[string]string{
		"select nothing from 'orders.csv'":        "nothing",
		"select id from 'missing.csv'":            "missing.csv",
		"explain select id from 'orders.csv'":     "explain has no rows",
		"insert into 'orders.csv' values (1)":     "insert",
		"select sum(city) as s from 'orders.csv'": "city",
	} {
		if got := allRows(t, db, query); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
	}
	for _, name := range []string{"?x=1", "?workers=many", "?mem=1MB", "?header=perhaps", "?%zz"} {
		if bad, err := sql.Open("thresh", name); err == nil {
			t.Errorf("%s: no error", name)
			bad.Close()
		}
	}
}

// big returns a folder with a file of many records.
func big(t *testing.T, records int) string {
	folder := t.TempDir()
	var b bytes.Buffer
	b.WriteString("n,text\n")
	for i := range records {
		fmt.Fprintf(&b, "%d,some text that makes the record longer %d\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(folder, "big.csv"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestEarlyEnd: rows that are closed, or whose context ends, end the run and leave nothing; those that are read to
// their end are all there, in order.
func TestEarlyEnd(t *testing.T) {
	const records = 200_000
	db := database(t, big(t, records))
	for taken := 0; taken < 900; taken += 30 {
		rows, err := db.Query("select n from 'big.csv'")
		if err != nil {
			t.Fatal(err)
		}
		for range taken {
			rows.Next()
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows, err := db.QueryContext(ctx, "select n, text from 'big.csv'")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		if n++; n == 1000 {
			cancel()
		}
	}
	if n == records || !errors.Is(rows.Err(), context.Canceled) {
		t.Errorf("%d rows and %v after the context has ended", n, rows.Err())
	}
	if _, err := db.QueryContext(ctx, "select count(*) from 'big.csv'"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	rows, err = db.Query("select n from 'big.csv'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for n = 0; rows.Next(); n++ {
		var got int
		if err := rows.Scan(&got); err != nil || got != n {
			t.Fatalf("row %d is %d: %v", n, got, err)
		}
	}
	if n != records || rows.Err() != nil {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
}

// TestWaits: a run waits for who reads its rows, with little of them in memory.
func TestWaits(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan int, 1)
	go func() {
		n, chunk := 0, []byte(strings.Repeat("1,"+strings.Repeat("x", 97)+"\n", 1000))
		for {
			wrote, err := out.Write(chunk)
			if n += wrote; err != nil {
				written <- n
				return
			}
		}
	}()
	c := &sqldriver.Connector{Options: thresh.SQLOptions{Callbacks: thresh.Callbacks{Stdin: in}}}
	c.Options.MemoryBytes = 16 << 20
	db := sql.OpenDB(c)
	rows, err := db.Query("select column1 from read_csv('-', header = false)")
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
	}
	time.Sleep(200 * time.Millisecond) // in which far more could be read
	in.Close()
	if n := <-written; n > 32<<20 {
		t.Errorf("%d bytes were read for 10 rows", n)
	}
	if err := errors.Join(rows.Close(), db.Close(), out.Close()); err != nil {
		t.Error(err)
	}
}

// TestConcurrent: a database answers many goroutines, and says what was read.
func TestConcurrent(t *testing.T) {
	folder := big(t, 5000)
	var mu sync.Mutex
	reports := 0
	c := &sqldriver.Connector{Report: func(r answer.TableReport) {
		mu.Lock()
		defer mu.Unlock()
		if reports++; r.Records == 0 {
			t.Errorf("%d records", r.Records)
		}
	}}
	db := sql.OpenDB(c)
	defer db.Close()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			query := fmt.Sprintf("select max(n) from '%s' where n < ?", filepath.Join(folder, "big.csv"))
			if got := allRows(t, db, query, 100*i+100); got != fmt.Sprintln(100*i+99) {
				t.Errorf("%d: %q", i, got)
			}
		})
	}
	group.Wait()
	if reports != 16 {
		t.Errorf("%d reports", reports)
	}
}
