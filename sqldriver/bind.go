package sqldriver

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/table/sql"
)

// bound returns the statements of a text with the values of its parameters.
func bound(query string, args []driver.NamedValue) ([]*thresh.Statement, error) {
	values := make([]string, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, fmt.Errorf("the parameter %s has a name: write ? or $%d for it", a.Name, a.Ordinal)
		}
		var err error
		if values[i], err = constant(a.Value); err != nil {
			return nil, fmt.Errorf("the value of parameter %d: %w", a.Ordinal, err)
		}
	}
	text, err := sql.Bind(query, values)
	if err != nil {
		return nil, err
	}
	return thresh.ParseSQL(text)
}

// constant writes a value as a statement has it.
func constant(v driver.Value) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("%v is no number that a statement can have", v)
		}
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []byte:
		return quoted(string(v)), nil
	case string:
		return quoted(v), nil
	case time.Time:
		return "timestamp " + quoted(v.Format("2006-01-02 15:04:05.999999999Z07:00")), nil
	}
	return "", fmt.Errorf("its type is %T, and numbers, texts, bytes, times, booleans and nil have constants", v)
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
