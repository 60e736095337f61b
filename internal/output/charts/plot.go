package charts

import (
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const (
	plotMin = 5 // lines of a plot
	plotMax = 14
)

// plots draws each series by itself, one below the other: lines in one plot cannot be told apart without colours.
func (t *textChart) plots() {
	type plot struct {
		name  string
		line  *Series
		ticks []float64
		texts []string
	}
	var all []plot
	axis := 0
	for i := range t.Panels {
		p := &t.Panels[i]
		ticks := p.ticks(Lines, 4)
		texts := tickTexts(ticks)
		for _, text := range texts {
			axis = max(axis, displaywidth.String(text))
		}
		for j := range p.Series {
			s := &p.Series[j]
			name := p.Name
			if s.Name != "" {
				name += ", " + s.Name
			}
			all = append(all, plot{name, s, ticks, texts})
		}
	}
	const around = 2 // lines of a plot but its canvas
	height, shown := plotMax, len(all)
	if t.Height > 0 {
		height = min(max((t.Height-4)/len(all)-around, plotMin), plotMax)
		shown = min(max(1, (t.Height-4)/(height+around)), len(all))
	}
	for _, p := range all[:shown] {
		t.line(strings.Repeat(" ", axis+1) + t.styled(dim, t.cut(p.name, t.Width-axis-1)))
		t.plot(p.line, p.ticks, p.texts, axis, height)
	}
	t.timeAxis(axis)
	t.left(more{len(all) - shown, "line"})
}

// plot draws a line on a canvas with an axis at its left.
func (t *textChart) plot(s *Series, ticks []float64, texts []string, axis, height int) {
	c := newCanvas(t.Width-axis-2, height, t.ASCII)
	low, high := ticks[0], ticks[len(ticks)-1]
	first, last := t.span()
	before := -1
	x := func(i int) int { return along(s.At[i], first, last, c.across) }
	y := func(v float64) int { return c.down - 1 - along(v, low, high, c.down) }
	for i, v := range s.Values {
		switch {
		case !drawn(v):
			before = -1
			continue
		case before >= 0:
			c.join(x(before), y(s.Values[before]), x(i), y(v))
		case i+1 == len(s.Values) || !drawn(s.Values[i+1]): // alone, so that one dot would hardly be seen
			right, below := min(x(i)+c.wide-1, c.across-1), min(y(v)+c.wide-1, c.down-1)
			c.join(x(i), y(v), right, y(v))
			c.join(x(i), below, right, below)
		}
		before = i
	}
	corner := []string{"│", "┤", "└", "─"}
	if t.ASCII {
		corner = []string{"|", "+", "+", "-"}
	}
	for row := range height {
		label, edge := "", corner[0]
		for i, tick := range ticks {
			if y(tick)*height/c.down == row {
				label, edge = texts[i], corner[1]
			}
		}
		t.line(right(label, axis) + " " + t.styled(dim, edge) + t.styled(ink, strings.TrimRight(c.row(row), " ")))
	}
	t.line(strings.Repeat(" ", axis+1) + t.styled(dim, corner[2]+strings.Repeat(corner[3], t.Width-axis-2)))
}

// along returns where a value is among so many places between two others.
func along(v, low, high float64, places int) int {
	if high <= low {
		return (places - 1) / 2
	}
	return int(math.Round((v - low) / (high - low) * float64(places-1)))
}

// timeAxis writes the times below the plots.
func (t *textChart) timeAxis(axis int) {
	first, last := t.span()
	width := t.Width - axis - 2
	line := []byte(strings.Repeat(" ", width))
	free := 0
	for _, m := range times(first, last, max(width/12, 1)) {
		at := min(max(along(m.at, first, last, width)-len(m.text)/2, 0), width-len(m.text))
		if at >= free && at >= 0 {
			copy(line[at:], m.text)
			free = at + len(m.text) + 1
		}
	}
	t.line(strings.Repeat(" ", axis+2) + t.styled(dim, strings.TrimRight(string(line), " ")))
}

// canvas is dots that become characters: 2 by 4 dots of Braille in each, or one.
type canvas struct {
	across, down int // dots
	wide, high   int // dots of a character
	dots         [][]bool
}

func newCanvas(columns, rows int, ascii bool) *canvas {
	c := &canvas{wide: 2, high: 4}
	if ascii {
		c.wide, c.high = 1, 1
	}
	c.across, c.down = max(columns, 1)*c.wide, rows*c.high
	for range c.down {
		c.dots = append(c.dots, make([]bool, c.across))
	}
	return c
}

// join draws a line between two dots.
func (c *canvas) join(x0, y0, x1, y1 int) {
	steps := max(abs(x1-x0), abs(y1-y0), 1)
	for i := range steps + 1 {
		at := func(from, to int) int { return from + int(math.Round(float64((to-from)*i)/float64(steps))) }
		c.dots[at(y0, y1)][at(x0, x1)] = true
	}
}

func abs(n int) int { return max(n, -n) }

// braille is the bits of the dots of a character of Braille, line by line.
var braille = [4][2]rune{{1, 8}, {2, 16}, {4, 32}, {64, 128}}

// row returns a line of characters.
func (c *canvas) row(n int) string {
	var b strings.Builder
	for left := 0; left < c.across; left += c.wide {
		if c.wide == 1 {
			b.WriteByte(map[bool]byte{true: '*', false: ' '}[c.dots[n][left]])
			continue
		}
		bits := rune(0)
		for y, line := range braille {
			for x, bit := range line {
				if c.dots[n*c.high+y][left+x] {
					bits |= bit
				}
			}
		}
		if bits == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(0x2800 + bits)
	}
	return b.String()
}
