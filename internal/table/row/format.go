// Package row says how rows of an answer are handed out.
package row

import "github.com/thresh-dev/thresh/answer"

// Formatter is an Output that also takes rows of texts as bytes, so that all workers can format rows
// at once.
type Formatter interface {
	answer.Writer
	// Format returns the format of rows of these columns for one goroutine, nil if rows must be given to Row.
	Format(columns []answer.Column) Format
	// Rows writes formatted rows. Begin was called before.
	Rows(text []byte) error
}

// Format formats rows.
type Format interface {
	// Append appends a row of texts to dst. A nil text is null. It keeps none of them. The error is that of a row
	// that cannot be written.
	Append(dst []byte, fields [][]byte) ([]byte, error)
	// KeepsJSON reports whether the texts of columns of JSON, see answer.Column, stay as they are.
	KeepsJSON() bool
	// AsWritten reports whether a row of a table with this delimiter and this quote, 0 for none, looks the same
	// in this format if there is neither a quote nor a carriage return in it, and more than one field.
	AsWritten(delim, quote byte) bool
}
