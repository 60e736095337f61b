package charts

import (
	"math"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/thresh-dev/thresh/internal/output/numeral"
)

const (
	widthUsual = 80
	gap        = 2 // between columns
	labelMin   = 8
	barMin     = 8 // a column of numbers with less room for its bars is left out
	barMax     = 100
	emptyMax   = 3 // a longer run of empty bins is one line
)

// AppendText draws a chart as text.
func (c *Chart) AppendText(dst []byte, look Look) []byte {
	if look.Width == 0 {
		look.Width = widthUsual
	}
	t := &textChart{Chart: c, Look: look, out: dst}
	switch {
	case len(c.Labels) == 0:
		t.line("nothing to draw")
	case c.Form == Lines:
		t.plots()
	default:
		t.bars()
	}
	return t.out
}

// textChart is a chart that is drawn as text.
type textChart struct {
	*Chart
	Look
	out []byte
}

// Styles of text on a terminal.
const (
	dim   = "\x1b[2m"
	ink   = "\x1b[36m"
	plain = "\x1b[0m"
)

// styled returns text in a style, if there is text and there are colours.
func (t *textChart) styled(style, text string) string {
	if !t.Color || text == "" {
		return text
	}
	return style + text + plain
}

// line writes a line without the spaces at its end.
func (t *textChart) line(text string) {
	t.out = append(append(t.out, strings.TrimRight(text, " ")...), '\n')
}

// cut shortens text to a width.
func (t *textChart) cut(text string, width int) string {
	dots := "…"
	if t.ASCII {
		dots = "~"
	}
	if displaywidth.String(text) <= width {
		return text
	}
	return displaywidth.TruncateString(text, width, dots)
}

func left(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-displaywidth.String(text)))
}

func right(text string, width int) string {
	return strings.Repeat(" ", max(0, width-displaywidth.String(text))) + text
}

// barColumn is a column of numbers with its bars.
type barColumn struct {
	name      string
	values    []float64
	texts     []string
	width     int // of the numbers
	before    int // columns of the screen left of zero
	after     int
	low, high float64
}

// bars writes a line for each key: the key, and for each column of numbers the number and a bar.
func (t *textChart) bars() {
	keyWidth := displaywidth.String(t.Key)
	for _, label := range t.Labels {
		keyWidth = max(keyWidth, displaywidth.String(label))
	}
	keyWidth = min(keyWidth, max(labelMin, t.Width*2/5))
	columns, room := t.fit(t.Width - keyWidth)
	align := left
	if t.Form == Histogram {
		align = right
	}
	heading := align(t.cut(t.Key, keyWidth), keyWidth)
	for i := range columns {
		columns[i].share(room)
		heading += strings.Repeat(" ", gap) + columns[i].heading(t, room)
	}
	t.line(t.styled(dim, strings.TrimRight(heading, " ")))
	rows, last := t.shown()
	for row := 0; row < last; row++ {
		if empty := t.emptyFrom(rows[row:last], columns); empty > emptyMax {
			t.line(align("...", keyWidth))
			row += empty - 1
			continue
		}
		line := align(t.cut(t.Labels[row], keyWidth), keyWidth)
		for i := range columns {
			line += strings.Repeat(" ", gap) + columns[i].bar(t, row)
		}
		t.line(line)
	}
	t.left(more{len(rows) - last + t.More, "row"}, more{len(t.Panels) - len(columns), "column"})
}

// shown returns all rows, and how many of them are drawn: as in a table, the lines above and below are on the same
// screen.
func (t *textChart) shown() (rows []int, last int) {
	for i := range t.Labels {
		rows = append(rows, i)
	}
	const others = 7
	if most := max(t.Height-others, 3); t.Height > 0 && len(rows)+t.More > most+1 {
		return rows, min(len(rows), most)
	}
	return rows, len(rows)
}

// more is how many things are not drawn.
type more struct {
	n    int
	what string
}

// left says how much is not drawn.
func (t *textChart) left(things ...more) {
	var all []string
	for _, m := range things {
		if m.n > 0 {
			all = append(all, numeral.CountGrouped(m.n, "more "+m.what))
		}
	}
	if all != nil {
		dots := "… "
		if t.ASCII {
			dots = "... "
		}
		t.line(t.styled(dim, dots+strings.Join(all, ", ")+t.Hint))
	}
}

// fit returns the columns of numbers that fit, at least one, and the room for the bars of each.
func (t *textChart) fit(width int) (columns []barColumn, room int) {
	for i := range t.Panels {
		s := &t.Panels[i].Series[0]
		c := barColumn{name: t.Panels[i].Name, values: s.Values, texts: s.figures()}
		c.low, c.high = t.Panels[i].bounds()
		for _, text := range c.texts {
			c.width = max(c.width, len(text))
		}
		columns = append(columns, c)
	}
	for {
		room = width
		for _, c := range columns {
			room -= gap + c.width + 1
		}
		if room /= len(columns); room >= barMin || len(columns) == 1 {
			return columns, min(max(room, barMin), barMax)
		}
		columns = columns[:len(columns)-1]
	}
}

// share divides the room of the bars between values below and above zero.
func (c *barColumn) share(room int) {
	c.low, c.high = min(c.low, 0), max(c.high, 0)
	c.after = room
	if c.low < 0 {
		room-- // for the line at zero
		c.before = min(max(int(math.Round(float64(room)*-c.low/(c.high-c.low))), 1), room)
		if c.high > 0 {
			c.before = min(c.before, room-1)
		}
		c.after = room - c.before
	}
}

func (c *barColumn) heading(t *textChart, room int) string {
	return left(right(t.cut(c.name, c.width+1+room), c.width), c.width+1+room)
}

// bar returns the number of a row and its bar.
func (c *barColumn) bar(t *textChart, row int) string {
	v := c.values[row]
	var below, above string
	switch {
	case !drawn(v):
	case v < 0:
		below = t.gauge(v/c.low, c.before, true)
	case v > 0:
		above = t.gauge(v/c.high, c.after, false)
	}
	text := right(c.texts[row], c.width) + " "
	if c.low < 0 {
		axis := "│"
		if t.ASCII {
			axis = "|"
		}
		text += strings.Repeat(" ", c.before-displaywidth.String(below)) + t.styled(ink, below) + t.styled(dim, axis)
	}
	return text + t.styled(ink, above) + strings.Repeat(" ", c.after-displaywidth.String(above))
}

// gauge draws a bar in eighths of a column, and one that ends at its right in halves. It is never nothing.
func (t *textChart) gauge(share float64, columns int, before bool) string {
	eighths := max(1, int(share*float64(columns)*8))
	if t.ASCII {
		return strings.Repeat("#", (eighths+7)/8)
	}
	blocks := strings.Repeat("█", eighths/8)
	switch rest := eighths % 8; {
	case before && (rest >= 4 || blocks == ""):
		return "▐" + blocks
	case before || rest == 0:
		return blocks
	default:
		return blocks + string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
}

// emptyFrom returns how many bins at the front are empty.
func (t *textChart) emptyFrom(rows []int, columns []barColumn) int {
	if t.Form != Histogram {
		return 0
	}
	for i, row := range rows {
		if slices.ContainsFunc(columns, func(c barColumn) bool { return c.values[row] != 0 }) {
			return i
		}
	}
	return len(rows)
}
