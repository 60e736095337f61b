package answer

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/failure"
)

// ScanRows returns the rows of an answer as structs, see Table.Scan.
func ScanRows[T any](t *Table) ([]T, error) {
	if t == nil {
		return nil, &failure.OptionError{Field: "t", Value: t, Reason: "t is nil"}
	}
	rows := make([]T, len(t.Rows))
	for i := range rows {
		if err := t.Scan(i, &rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Scan copies a row into the struct that to points to. A field takes the column whose name is in its tag, as in
// `thresh:"sum(amount)"`, or is its own name, apart from case and underscores. The tag "-" leaves a field as it is; one
// without a column is an error. Fields are strings, bytes, bools, numbers, times, *big.Int, *big.Rat, Cell, or pointers
// to these. A pointer is nil for null; any other value that does not fit, null among them, is a *failure.ValueError.
func (t *Table) Scan(row int, to any) error {
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return &failure.OptionError{Field: "to", Value: to, Reason: "to is no pointer to a struct"}
	}
	if row < 0 || row >= len(t.Rows) {
		return &failure.OptionError{Field: "row", Value: row, Reason: fmt.Sprintf("row is %d of %d", row, len(t.Rows))}
	}
	v = v.Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag := field.Tag.Get("thresh")
		if tag == "-" || !field.IsExported() {
			continue
		}
		column := t.column(field.Name, tag)
		if column < 0 {
			return fmt.Errorf("scan %s: the answer has no column for the field %s", v.Type(), field.Name)
		}
		if err := t.Rows[row][column].into(v.Field(i)); err != nil {
			return fmt.Errorf("scan row %d, column %s: %w", row, t.Columns[column].Name, err)
		}
	}
	return nil
}

// column returns the index of the column for a field, -1 if there is none.
func (t *Table) column(field, tag string) int {
	for i, c := range t.Columns {
		if tag != "" && c.Name == tag || tag == "" && strings.EqualFold(strings.ReplaceAll(c.Name, "_", ""), field) {
			return i
		}
	}
	return -1
}

// into sets a field to the value.
func (c Cell) into(v reflect.Value) error {
	if to, ok := v.Addr().Interface().(*Cell); ok {
		*to = c
		return nil
	}
	if v.Kind() == reflect.Pointer && c.Null {
		v.SetZero()
		return nil
	}
	switch to := v.Addr().Interface().(type) {
	case *time.Time:
		t, err := c.Time()
		*to = t
		return err
	case **big.Rat:
		r, err := c.Rat()
		*to = r
		return err
	case **big.Int:
		r, err := c.Rat()
		if err != nil || !r.IsInt() {
			return c.unfit("whole number")
		}
		*to = r.Num()
		return nil
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return c.into(v.Elem())
	}
	if c.Null {
		return c.unfit(v.Type().String())
	}
	return c.plain(v)
}

// plain sets a field of a basic type.
func (c Cell) plain(v reflect.Value) error {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(c.String())
		return nil
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes([]byte(c.String()))
		return nil
	case v.Kind() == reflect.Bool && (string(c.Text) == "true" || string(c.Text) == "false"):
		v.SetBool(string(c.Text) == "true")
		return nil
	case v.CanFloat():
		f, err := c.Float64()
		v.SetFloat(f)
		return err
	case v.CanInt():
		if n, err := c.Int64(); err == nil && !v.OverflowInt(n) {
			v.SetInt(n)
			return nil
		}
	case v.CanUint():
		if r, err := c.Rat(); err == nil && r.IsInt() && r.Num().IsUint64() && !v.OverflowUint(r.Num().Uint64()) {
			v.SetUint(r.Num().Uint64())
			return nil
		}
	}
	return c.unfit(v.Type().String())
}
