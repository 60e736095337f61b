package verbs

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/table/sniff"
)

// completeColumn completes the last word of a flag's value with the columns of the first input: with their names, or
// with numbers if a field of the first record looks like data. --header and --no-header settle it.
func completeColumn(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) == 0 {
		return cobra.AppendActiveHelp(nil, "name the file first: its columns are then known"), directive
	}
	record, err := firstRecord(cmd, args[0])
	if err != nil {
		return cobra.AppendActiveHelp(nil, err.Error()), directive
	}
	isData := func(field string) bool { return field == "" || sniff.IsData([]byte(field)) }
	named := cmd.Flags().Changed("header") || !cmd.Flags().Changed("no-header") && !slices.ContainsFunc(record, isData)
	before := typed[:strings.LastIndexAny(typed, ",:( ")+1]
	var all []cobra.Completion
	for i, field := range record {
		name, about := strconv.Itoa(i+1), field
		if named {
			name, about = columnName(field), fmt.Sprintf("column %d", i+1)
		}
		if strings.HasPrefix(before+name, typed) {
			all = append(all, cobra.CompletionWithDesc(before+name, about))
		}
	}
	return all, directive
}

// columnName returns the name of a column as it is written in a list or an expression.
func columnName(name string) string {
	plain := name != "" && strings.Trim(name, "0123456789") != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return !(unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_')
	})
	if plain {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// headerBytesMax bounds what is read of a file for its first record: the user waits.
const headerBytesMax = 64 << 10

// firstRecord returns the fields of the first record of an input.
func firstRecord(cmd *cobra.Command, name string) (record []string, err error) {
	in, err := thresh.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	head := make([]byte, headerBytesMax)
	n := 0
	for n < len(head) {
		more, err := in.ReadAt(head[n:], int64(n))
		if n += more; err == io.EOF || more == 0 {
			break
		} else if err != nil {
			return nil, err
		}
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(head[:n]), "\xef\xbb\xbf")))
	written := cmd.Flags().Lookup("delimiter").Value.String()
	if written == "" {
		if written, err = delimiterOf([]string{name}); err != nil {
			return nil, err
		}
	}
	if written == linesOfJSON {
		return nil, errors.New("lines of JSON have no first record")
	}
	delim, err := oneByte("delimiter", written, ",")
	if err != nil {
		return nil, err
	}
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(delim), true, -1
	return r.Read()
}
