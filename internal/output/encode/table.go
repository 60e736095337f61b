package encode

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// The columns of a table are as wide as their widest cell. So rows are held back until all rows
// are there, or so many that later rows will not be much different. Then the widths are fixed.
var (
	heldRows  = threshold.New("output: rows of a table that are held back", 4096, 1)
	heldBytes = threshold.New("output: bytes of a table that are held back", 4<<20, 1)
)

// cutWidthMin is the smallest width to which a text column is cut on a narrow terminal.
const cutWidthMin = 8

// wideMin is that width where columns are left out instead: nearly all numbers that are texts fit.
const wideMin = 16

const gap = 2 // spaces between columns

// table writes answers for people: numbers right-aligned, text left-aligned, and characters that
// would move the cursor or deceive the reader escaped.
type table struct {
	output
	options options.Writer
	title   string
	columns []answer.Column
	cells   cells // the heading, then the rows held back
	rows    int   // how many rows are held back
	all     int   // how many rows there are
	widths  []int // of columns that are shown, nil until they are fixed
	begun   int
}

// cells holds texts one after the other, each with its width on the screen.
type cells struct {
	text   []byte
	ends   []int
	widths []int
}

func newTable(w io.Writer, o options.Writer) *table {
	return &table{output: newOutput(w), options: o}
}

// Begin holds the heading back until the widths are fixed.
func (t *table) Begin(title string, columns []answer.Column) error {
	if t.begun++; t.begun > 1 {
		t.buf = append(t.buf, '\n')
	}
	t.title, t.columns = title, columnsOf(columns)
	t.cells.reset()
	t.rows, t.all, t.widths = 0, 0, nil
	for i := range columns {
		t.cells.add(&answer.Column{}, &answer.Cell{Text: []byte(columns[i].Name)}, "", false)
	}
	return t.err
}

// Row holds a row back, or writes it if the widths are fixed.
func (t *table) Row(values []answer.Cell) error {
	check(t.columns, values)
	t.all++
	full := len(t.cells.text) > heldBytes.Get()
	if t.options.Height > 0 && (full || t.rows > t.most()) {
		return t.err
	}
	for i := range values {
		t.cells.add(&t.columns[i], &values[i], t.null(), t.options.ASCII)
	}
	if t.widths != nil {
		t.line(0)
		t.cells.reset()
		return t.spill()
	}
	t.rows++
	if t.options.Height == 0 && (t.rows >= heldRows.Get() || len(t.cells.text) > heldBytes.Get()) {
		return t.settle()
	}
	return t.err
}

// End writes the rows held back, and the notes.
func (t *table) End(notes []string) error {
	if t.widths == nil {
		if t.rows == 1 && len(t.columns) == 1 {
			t.single()
		} else if err := t.settle(); err != nil {
			return err
		}
	}
	t.rest()
	for _, note := range notes {
		t.styled(dim, "note: "+note)
		t.buf = append(t.buf, '\n')
	}
	return t.spill()
}

// most returns how many rows are shown if there are more: the heading, what is said below, and the next line of the
// shell are on the same screen.
func (t *table) most() int {
	const others = 7
	return max(t.options.Height-others, 3)
}

// rest says how many rows and columns are not shown.
func (t *table) rest() {
	if t.options.Height == 0 || t.widths == nil {
		return
	}
	var left []string
	for _, l := range []struct {
		n    int
		what string
	}{{t.all - t.rows, "row"}, {len(t.columns) - len(t.widths), "column"}} {
		if l.n > 0 {
			left = append(left, numeral.CountGrouped(l.n, "more "+l.what))
		}
	}
	if left != nil {
		t.styled(dim, "… "+strings.Join(left, ", ")+t.options.Hint)
		t.buf = append(t.buf, '\n')
	}
}

// null returns the text for null.
func (t *table) null() string {
	if t.options.Null != nil {
		return *t.options.Null
	}
	return ""
}

// single writes an answer of one value: its name and the value, on one line.
func (t *table) single() {
	if t.title != t.columns[0].Name {
		t.heading()
	}
	t.styled(dim, t.columns[0].Name)
	t.buf = append(t.buf, ' ', ' ')
	t.buf = append(t.buf, t.cells.text[t.cells.ends[0]:]...)
	t.buf = append(t.buf, '\n')
}

// heading writes the title, which distinguishes several answers.
func (t *table) heading() {
	if t.options.Answers > 1 && t.title != "" {
		t.styled(bold, t.title)
		t.buf = append(t.buf, '\n')
	}
}

// settle fixes the widths according to the rows held back, and writes these rows.
func (t *table) settle() error {
	t.widths = make([]int, len(t.columns))
	if t.options.Height > 0 && t.all > t.most()+1 { // one more row takes no more than the line that says so
		t.rows = t.most()
		t.cells.cut((t.rows + 1) * len(t.columns))
	}
	for i, width := range t.cells.widths {
		c := i % len(t.columns)
		t.widths[c] = max(t.widths[c], width)
	}
	if t.cutting() {
		t.narrow()
	}
	t.heading()
	if t.options.Color {
		t.buf = append(t.buf, dim...)
	}
	t.line(0)
	if t.options.Color {
		t.buf = append(t.buf[:len(t.buf)-1], plain+"\n"...)
	} else {
		t.rule()
	}
	for row := 1; row <= t.rows; row++ {
		t.line(row * len(t.columns))
		if err := t.spill(); err != nil {
			return err
		}
	}
	t.cells.reset()
	return t.err
}

func (t *table) cutting() bool { return t.options.Terminal && t.options.Width > 0 }

// narrow cuts the widest text columns to one width: the largest with which a line fits on the
// screen. It never cuts numbers: half a number is a different number.
func (t *table) narrow() {
	if t.options.Height > 0 {
		t.widths = t.widths[:t.fitting()]
	}
	for most := t.options.Width; most >= cutWidthMin; most-- {
		line := gap * (len(t.widths) - 1)
		for i, width := range t.widths {
			if t.columns[i].Type == answer.ColumnText {
				width = min(width, most)
			}
			line += width
		}
		if line <= t.options.Width || most == cutWidthMin {
			for i := range t.widths {
				if t.columns[i].Type == answer.ColumnText {
					t.widths[i] = min(t.widths[i], most)
				}
			}
			return
		}
	}
}

// fitting returns how many columns fit on the screen where texts are cut most, at least one.
func (t *table) fitting() int {
	line := -gap
	for i, width := range t.widths {
		if t.columns[i].Type == answer.ColumnText {
			width = min(width, wideMin)
		}
		if line += gap + width; line > t.options.Width {
			return max(i, 1)
		}
	}
	return len(t.widths)
}

// rule writes a line below a heading that is not set apart by color.
func (t *table) rule() {
	for i, width := range t.widths {
		if i > 0 {
			t.pad(gap)
		}
		for range width {
			t.buf = append(t.buf, "─"...)
		}
	}
	t.buf = append(t.buf, '\n')
}

// line writes the cells from first on as one line. It delays spaces until text follows, so that
// no line ends with spaces.
func (t *table) line(first int) {
	owed := 0
	for i := range t.widths {
		text, width := t.cells.at(first + i)
		if t.cutting() && t.columns[i].Type == answer.ColumnText && width > t.widths[i] {
			text = displaywidth.TruncateBytes(text, t.widths[i], []byte("…"))
			width = displaywidth.Bytes(text)
		}
		room := max(t.widths[i]-width, 0)
		if t.columns[i].Type != answer.ColumnText {
			owed, room = owed+room, 0
		}
		if len(text) > 0 {
			t.pad(owed)
			owed = 0
		} else {
			owed += width
		}
		t.buf = append(t.buf, text...)
		owed += room + gap
	}
	t.buf = append(t.buf, '\n')
}

func (t *table) pad(spaces int) {
	for range spaces {
		t.buf = append(t.buf, ' ')
	}
}

// Styles of text on a terminal.
const (
	dim   = "\x1b[2m"
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

func (t *table) styled(look, text string) {
	if t.options.Color {
		t.buf = append(t.buf, look...)
	}
	t.buf = appendPrintable(t.buf, []byte(text))
	if t.options.Color {
		t.buf = append(t.buf, plain...)
	}
}

func (c *cells) reset() {
	c.text, c.ends, c.widths = c.text[:0], c.ends[:0], c.widths[:0]
}

// add appends the text of a value as it is shown.
func (c *cells) add(column *answer.Column, v *answer.Cell, null string, ascii bool) {
	start := len(c.text)
	width := -1
	var drawn histogram
	if column.JSON && !v.Null {
		drawn, _ = histogramOf(v.Text)
	}
	switch {
	case v.Null:
		c.text = appendPrintable(c.text, []byte(null))
		width = displaywidth.Bytes(c.text[start:])
	case drawn.Counts != nil:
		c.text = drawn.append(c.text, ascii)
		width = displaywidth.Bytes(c.text[start:])
	case column.Type == answer.ColumnText:
		c.text = appendPrintable(c.text, v.Text)
		width = displaywidth.Bytes(c.text[start:])
	default:
		c.text = column.AppendText(c.text, v)
	}
	if width < 0 {
		width = len(c.text) - start
	}
	c.ends = append(c.ends, len(c.text))
	c.widths = append(c.widths, width)
}

// cut drops all cells but the first n.
func (c *cells) cut(n int) {
	c.ends, c.widths = c.ends[:n], c.widths[:n]
	c.text = c.text[:c.ends[n-1]]
}

func (c *cells) at(i int) (text []byte, width int) {
	start := 0
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.text[start:c.ends[i]], c.widths[i]
}
