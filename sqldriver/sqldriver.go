// Package sqldriver lets programs that use database/sql ask questions of files. Importing it registers the driver
// "thresh":
//
//	import _ "github.com/thresh-dev/thresh/sqldriver"
//
//	db, err := sql.Open("thresh", "/data")
//	rows, err := db.QueryContext(ctx, "select city, sum(amount) from 'orders.csv' where country = ? group by 1", "DE")
//
// The name of the data source is the folder from which the names of files go, "" for the current one, perhaps with
// options after it: "/data?workers=2&mem=67108864&header=true&parsetime=true". OpenDB of database/sql with a Connector
// takes all options of the library.
//
// The language is that of thresh.SQL. Parameters are ? or $1; their values become constants. Statements with semicolons
// between them are result sets. Nothing can be written: Exec and transactions are errors.
//
// Whole numbers are int64, other floats float64; decimals are texts, so that they stay exact, as texts are. Each
// converts to what Scan asks for. With ParseTime texts that are times are time.Time, in UTC if they have no zone.
//
// Rows are read as they are asked for: those of a selection without an order are passed on while the files are read, at
// most some hundreds ahead. Closing them ends the run. Rows that end because a part of a file could not be read have an
// error, *failure.UnreadError. A database may be used by any number of goroutines.
package sqldriver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
)

func init() { sql.Register("thresh", sqlDriver{}) }

// Connector makes connections for sql.OpenDB. The zero value reads files of the current folder.
type Connector struct {
	// Options say how statements are answered.
	Options thresh.SQLOptions
	// ParseTime makes texts that are times values of time.Time.
	ParseTime bool
	// Report is called with the report of each statement of which all was answered, if it is not nil: what was read,
	// and which values were not numbers. Several goroutines may call it at once.
	Report func(answer.TableReport)
}

// Connect returns a connection, which holds nothing open.
func (c *Connector) Connect(_ context.Context) (driver.Conn, error) { return &conn{c}, nil }

// Driver returns the driver.
func (c *Connector) Driver() driver.Driver { return sqlDriver{} }

// sqlDriver is the driver by the name "thresh".
type sqlDriver struct{}

// Open returns a connection to the data source of a name.
func (d sqlDriver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector reads the name of a data source.
func (sqlDriver) OpenConnector(name string) (driver.Connector, error) {
	folder, query, _ := strings.Cut(name, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("the options of the data source %s: %w", name, err)
	}
	c := &Connector{}
	for option, value := range values {
		if err := c.set(option, value[len(value)-1]); err != nil {
			return nil, fmt.Errorf("the data source %s: %w", name, err)
		}
	}
	if folder != "" {
		c.Options.Files = below(folder)
	}
	return c, nil
}

// set sets an option of the name of a data source.
func (c *Connector) set(option, value string) (err error) {
	switch option {
	case "workers":
		c.Options.Workers, err = strconv.Atoi(value)
	case "mem":
		c.Options.MemoryBytes, err = strconv.ParseInt(value, 10, 64)
	case "header":
		header := false
		header, err = strconv.ParseBool(value)
		c.Options.Header = &header
	case "parsetime":
		c.ParseTime, err = strconv.ParseBool(value)
	default:
		return fmt.Errorf("the option %s is unknown: there are workers, mem, header and parsetime", option)
	}
	if err != nil {
		err = fmt.Errorf("the option %s=%s: %w", option, value, err)
	}
	return err
}

// below returns the files of names that go from a folder.
func below(folder string) func(names []string) iter.Seq2[string, error] {
	return func(names []string) iter.Seq2[string, error] {
		from := make([]string, len(names))
		for i, name := range names {
			if from[i] = name; name != "-" && !filepath.IsAbs(name) && !strings.Contains(name, "://") {
				from[i] = filepath.Join(folder, name)
			}
		}
		return thresh.Files(from, false)
	}
}

// conn is a connection: nothing but its options.
type conn struct{ of *Connector }

var errReadOnly = errors.New("thresh only reads: ask with Query; Exec and transactions are not there")

// Prepare returns a statement, which is read when its values are there.
func (c *conn) Prepare(query string) (driver.Stmt, error) { return &stmt{c, query}, nil }

// Close does nothing: rows hold what is open.
func (c *conn) Close() error { return nil }

// Begin is refused.
func (c *conn) Begin() (driver.Tx, error) { return nil, errReadOnly }

// ExecContext is refused.
func (c *conn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return nil, errReadOnly
}

// QueryContext answers statements.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	statements, err := bound(query, args)
	if err != nil {
		return nil, err
	}
	for _, s := range statements {
		if s.Explains() {
			return nil, errors.New("explain has no rows: ask thresh.Statement.Plan")
		}
	}
	return c.of.start(ctx, statements)
}

// stmt is a prepared statement.
type stmt struct {
	c    *conn
	text string
}

func (s *stmt) Close() error { return nil }

// NumInput leaves it to the statement to count its parameters.
func (s *stmt) NumInput() int { return -1 }

func (s *stmt) Exec([]driver.Value) (driver.Result, error) { return nil, errReadOnly }

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return s.QueryContext(context.Background(), named)
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.c.QueryContext(ctx, s.text, args)
}
