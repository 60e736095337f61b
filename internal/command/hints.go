package command

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/thresh-dev/thresh/failure"
)

// flagNames says by which flag the command sets what the library's texts name.
var flagNames = strings.NewReplacer(
	"Dialect.Blanks", "-d ' +'",
	"Dialect.Comment", "--comment",
	"Dialect.Header", "--header",
	"Dialect.JSON", "-d json",
	"Dialect.Nulls", "--null",
	"Dialect.Numbers", "--numbers",
	"Dialect.Quote", "--quote",
	"Dialect.Separator", "--delimiter",
	"Dialect.SkipLines", "--skip-lines",
	"Dialect.Widths", "--widths",
	"Groups.Aggregates", "--agg",
	"Groups.Having", "--having",
	"Groups.Keys", "--group",
	"Groups.Limit", "--limit",
	"Groups.OrderBy", "--sort, --top-by",
	"LogTimes.Format", "--time-format",
	"LogTimes.From", "--from",
	"LogTimes.Show", "--show-zone",
	"LogTimes.To", "--to",
	"LogTimes.Zones", "--zone",
	"Options.S3Endpoint", "--s3-endpoint",
	"Run.Cache", "--cache",
	"Run.Engine", "--engine",
	"Run.MemoryBytes", "--mem",
	"SQLOptions.Rejects", "--rejects",
	"Scan.Offset", "--offset",
	"Select.OrderBy", "--sort",
	"TableSpec.Where", "--where",
	"TopKeys.Keys", "--top",
	"Values.Stride", "--stride",
	"Values.Type", "--type",
	"Writer.File", "-o",
	"Writer.Format", "--format",
	"question.IsNaN", "--nan",
	"thresh.Columns", "--columns",
	"thresh.Raw", "--no-decompress",
	"thresh.Records", "--nth",
	"thresh.Sample", "--sample",
	"thresh.Select", "--select",
)

// Flags returns a text of the library with flags in place of its fields and functions.
func Flags(text string) string { return flagNames.Replace(text) }

// hint returns what a user of the command can do about an error, "" if nothing is known.
func hint(err error) string {
	var (
		own     interface{ Hint() string }
		format  *failure.FormatError
		text    *failure.NotTextError
		archive *failure.ArchiveError
	)
	switch {
	case errors.As(err, &own):
		return own.Hint()
	case errors.As(err, &format):
		return Flags(format.Do)
	case errors.As(err, &text):
		return Flags(text.Do)
	case errors.As(err, &archive):
		return ArchiveHint(archive)
	}
	return schemeHint(err)
}

// schemeHint names what is read over a network, for a name that is no file and looks like another URL.
func schemeHint(err error) string {
	var missing *fs.PathError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &missing) {
		return ""
	}
	scheme, _, ok := strings.Cut(missing.Path, "://")
	if !ok || strings.Contains(scheme, "/") {
		return ""
	}
	return scheme + ":// is not supported; objects are read by https://, http:// and s3://"
}

// ArchiveHint says how to name a member of an archive.
func ArchiveHint(e *failure.ArchiveError) string {
	if e.Members == "" {
		return "name the file: ARCHIVE.zip:MEMBER; --no-decompress reads it as it is"
	}
	return fmt.Sprintf("name a member, as %s:MEMBER; it has %s; --no-decompress reads it as it is", e.Name, e.Members)
}
