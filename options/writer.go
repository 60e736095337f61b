package options

// Format is a way to write answers.
type Format string

// The formats. Arrow and Parquet hold one answer.
const (
	FormatTable Format = "table" // aligned columns, for people
	FormatCSV   Format = "csv"   // RFC 4180, with a header
	// FormatTSV separates fields by tabs, with a header. Tabs, line ends and backslashes in texts are \t, \n, \r and
	// \\, and null is \N.
	FormatTSV      Format = "tsv"
	FormatJSON     Format = "json"     // an object a row, a line each
	FormatMarkdown Format = "markdown" // a table of GitHub's Markdown: | and backslashes are escaped, line feeds are <br>
	FormatArrow    Format = "arrow"    // an Arrow IPC stream, or a file if Writer.File is set
	FormatParquet  Format = "parquet"  // a Parquet file
	// FormatChart draws an answer as text: bars for a key and numbers, lines for times, histograms for numbers at equal
	// distances. An answer that nothing of it suits is an error that says what can be drawn.
	FormatChart Format = "chart"
	FormatSVG   Format = "svg"  // the drawing of one answer as SVG, in colours for light and for dark
	FormatHTML  Format = "html" // a page: each answer as a table that can be sorted, with its drawing if one suits it
)

// Writer says how answers are written. The zero value is right for one answer, for people.
type Writer struct {
	Format  Format // empty means FormatTable
	Answers int    // how many there will be; 0 means 1
	// MemoryBytes bounds memory as that of Run does: Arrow and Parquet gather rows of up to a sixteenth of it, in bytes,
	// as far as that is at most 16 MiB. 0 means 256 MiB.
	MemoryBytes int64
	Delim       byte // of CSV; 0 means a comma
	Quote       byte // of CSV; 0 means "
	// Unquoted writes texts of CSV as they are, without quotes, for tables whose dialect has none.
	Unquoted bool
	// NoHeading leaves the line with the names of columns out of CSV.
	NoHeading bool
	// Null is what null is written as, except in JSON, Arrow and Parquet. Nil is an empty field, and \N in FormatTSV. A
	// text that looks like it is quoted in CSV, and cannot be told from it in a table.
	Null  *string
	File  bool // the output is a file of its own: Arrow is then written so that it can be read at random
	ASCII bool // FormatChart draws with nothing but ASCII
	// For FormatTable and FormatChart on a screen:
	Terminal bool // the output is a screen; texts may be cut, and binary formats are an error
	Color    bool // headings and notes are dim
	Width    int  // columns of the screen; 0 means that they are not known
	// Height is the lines of the screen: rows and columns of an answer that do not fit are left out, and counted below
	// it, with Hint after it. 0 means that all are written.
	Height int
	Hint   string
}
