package encode

import (
	"io"

	"github.com/clipperhouse/displaywidth"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// A table's columns are as wide as their widest cell, so rows are held until all are there,
// or so many that the others will not look much different; from then on widths stay.
var (
	heldRows  = threshold.New("present: rows of a table that are held", 4096, 1)
	heldBytes = threshold.New("present: bytes of a table that are held", 4<<20, 1)
)

// cutWidthMin is the least that a column of text is cut to on a narrow terminal.
const cutWidthMin = 8

const gap = 2 // spaces between columns

// table writes answers for people: numbers to the right, text to the left, what would move
// the cursor or deceive the eye escaped.
type table struct {
	output
	options Options
	title   string
	columns []Column
	cells   cells // the heading, then the rows that are held
	rows    int   // that are held
	widths  []int // of columns, nil until they are settled
	begun   int
}

// cells are texts one behind the other, each with the columns it takes on a screen.
type cells struct {
	text   []byte
	ends   []int
	widths []int
}

func newTable(w io.Writer, o Options) *table {
	return &table{output: newOutput(w), options: o}
}

// Begin holds the heading, which goes out when widths are settled.
func (t *table) Begin(title string, columns []Column) error {
	if t.begun++; t.begun > 1 {
		t.buf = append(t.buf, '\n')
	}
	t.title, t.columns = title, columnsOf(columns)
	t.cells.reset()
	t.rows, t.widths = 0, nil
	for i := range columns {
		t.cells.add(&Column{}, &Value{Text: []byte(columns[i].Name)})
	}
	return t.err
}

// Row holds a row, or writes it once widths are settled.
func (t *table) Row(values []Value) error {
	check(t.columns, values)
	for i := range values {
		t.cells.add(&t.columns[i], &values[i])
	}
	if t.widths != nil {
		t.line(0)
		t.cells.reset()
		return t.spill()
	}
	t.rows++
	if t.rows >= heldRows.Get() || len(t.cells.text) > heldBytes.Get() {
		return t.settle()
	}
	return t.err
}

// End writes what is held and the notes.
func (t *table) End(notes []string) error {
	if t.widths == nil {
		if t.rows == 1 && len(t.columns) == 1 {
			t.single()
		} else if err := t.settle(); err != nil {
			return err
		}
	}
	for _, note := range notes {
		t.styled(dim, "note: "+note)
		t.buf = append(t.buf, '\n')
	}
	return t.spill()
}

// single writes the answer of one value: its name and itself, on one line.
func (t *table) single() {
	if t.title != t.columns[0].Name {
		t.heading()
	}
	t.styled(dim, t.columns[0].Name)
	t.buf = append(t.buf, ' ', ' ')
	t.buf = append(t.buf, t.cells.text[t.cells.ends[0]:]...)
	t.buf = append(t.buf, '\n')
}

// heading writes the title that tells an answer from the others.
func (t *table) heading() {
	if t.options.Answers > 1 && t.title != "" {
		t.styled(bold, t.title)
		t.buf = append(t.buf, '\n')
	}
}

// settle fixes the widths by what is held and writes that.
func (t *table) settle() error {
	t.widths = make([]int, len(t.columns))
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

func (t *table) cutting() bool { return t.options.Terminal && t.options.WidthMax > 0 }

// narrow cuts the widest columns of text to one width, the greatest with which a line fits
// the screen. Numbers are never cut: half a number is another one.
func (t *table) narrow() {
	for most := t.options.WidthMax; most >= cutWidthMin; most-- {
		line := gap * (len(t.columns) - 1)
		for i, width := range t.widths {
			if t.columns[i].Type == Text {
				width = min(width, most)
			}
			line += width
		}
		if line <= t.options.WidthMax || most == cutWidthMin {
			for i := range t.widths {
				if t.columns[i].Type == Text {
					t.widths[i] = min(t.widths[i], most)
				}
			}
			return
		}
	}
}

// rule writes a line below the heading, where it is not set apart by its look.
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

// line writes the cells from first on as one line. Spaces are owed until something stands
// behind them, so that no line ends with any.
func (t *table) line(first int) {
	owed := 0
	for i := range t.columns {
		text, width := t.cells.at(first + i)
		if t.cutting() && t.columns[i].Type == Text && width > t.widths[i] {
			text = displaywidth.TruncateBytes(text, t.widths[i], []byte("…"))
			width = displaywidth.Bytes(text)
		}
		room := max(t.widths[i]-width, 0)
		if t.columns[i].Type != Text {
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

// Looks of text on a terminal.
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

// add appends the text of a value, as it is shown. A missing one takes no room.
func (c *cells) add(column *Column, v *Value) {
	start := len(c.text)
	width := -1
	switch {
	case v.Null:
	case column.Type == Text:
		c.text = appendPrintable(c.text, v.Text)
		width = displaywidth.Bytes(c.text[start:])
	default:
		c.text = appendNumber(c.text, column, v)
	}
	if width < 0 {
		width = len(c.text) - start
	}
	c.ends = append(c.ends, len(c.text))
	c.widths = append(c.widths, width)
}

func (c *cells) at(i int) (text []byte, width int) {
	start := 0
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.text[start:c.ends[i]], c.widths[i]
}
