package charts

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

var update = flag.Bool("update", false, "write the golden files")

// answer makes columns of lines of comma separated values; a name that ends with # is of numbers, \N is null.
func answer(t *testing.T, text string) (columns []Column) {
	t.Helper()
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		for i, field := range strings.Split(line, ",") {
			if n == 0 {
				name, typed := strings.CutSuffix(field, "#")
				columns = append(columns, Column{Name: name, Typed: typed})
				continue
			}
			cell := Cell{Text: field}
			if field == `\N` {
				cell = Cell{Null: true}
			} else if columns[i].Typed {
				v, err := strconv.ParseFloat(field, 64)
				if err != nil {
					t.Fatal(err)
				}
				cell.Number = v
			}
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	return columns
}

// The answers that golden files are of.
var answers = map[string]string{
	"groups":   "country,n#,sold#\nDE,100083,25183384.67\nUS,83824,20986661.61\nFR,40521,10173376.73\n\\N,12,\\N\n,1,0.00",
	"long":     "city,n#\nThe city with the longest name of all of them,3\n東京都千代田区丸の内一丁目九番一号東京駅,2\nRome,1",
	"negative": "what,change#\nup,12.5\ndown,-25\nflat,0\nslightly down,-0.1\nnot a number,NaN\nfar,+Inf",
	"below":    "what,change#\na,-1\nb,-2",
	"wide":     "a,b#,c#,d#,e#,f#\nx,1000000,1000000,1000000,1000000,1000000\ny,2,3,4,5,6",
	"mean":     "a,mean#\nx,657.7158367354689\ny,1.5\nz,99999.123456789",
	"bins":     "bin,n#\n-10,5\n-20,1\n0,20\n10,18\n100,1\n20,2\n\\N,4",
	"years":    "year,n#\n2024,4\n2025,2",
	"ranked":   "id,n#\n7,30\n3,20\n5,10",
	"times":    "at,n#\n2024-01-01,1\n2024-02-01,4\n2024-03-01,\\N\n2024-04-01,-2\n2024-05-01,3",
	"clock":    "at,n#\n2024-01-01 10:00:00,10000\n2024-01-01 10:00:30,10400\n2024-01-01 10:02:00,10200",
	"moment":   "at,n#\n2024-01-01 10:00:00,7",
	"series":   "at,level,n#\n2024-01-01,info,5\n2024-01-02,error,1\n2024-01-02,info,7\n2024-01-03,info,6\n2024-01-04,error,3\n2024-01-04,\\N,1",
	"empty":    "a,n#",
	"texts":    "a,b,c\nx,1,2.5\ny,2,3.5",
	"sparse":   "id,n#\n1,2\n2,3\n500,1",
	"uneven":   "x,n#\n1,5\n2,3\n3.5,1",
	"close":    "at,n#\n2024-01-01,1000\n2024-01-02,1002\n2024-01-03,1001",
	"few":      "at,n#\n2024-01-01,1\n2024-01-02,2",
	"hostile":  "<script>alert(1)</script>&amp;,n#\n\"</svg></title><b>,1\n' onload='x,2",
	"pairs":    "country,size,n\nDE,1,5\nDE,2,6\nFR,1,7",
}

// TestText draws every answer for terminals of several widths, with blocks and without.
func TestText(t *testing.T) {
	for name, text := range answers {
		c, err := Of("", answer(t, text), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all strings.Builder
		for _, look := range []Look{{Width: 60}, {Width: 80, Height: 24, Color: name == "groups", Hint: " (--all)"},
			{Width: 60, ASCII: true}, {Width: 200, Height: 10}} {
			got := string(c.AppendText(nil, look))
			all.WriteString(got + "\n")
			for _, line := range strings.Split(got, "\n") {
				if width := displaywidth.String(line); width > look.Width && !look.Color {
					t.Errorf("%s: a line of %d columns of %d: %s", name, width, look.Width, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s: a line ends with spaces: %q", name, line)
				}
			}
			if look.ASCII && name != "long" && strings.ContainsFunc(got, func(r rune) bool { return r > 0x7e }) {
				t.Errorf("%s: not ASCII:\n%s", name, got)
			}
		}
		golden(t, name+".txt", all.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%swant\n%s", name, got, want)
	}
}

// TestOf: which form suits which answer, and what is said where none does.
func TestOf(t *testing.T) {
	forms := map[string]Form{"groups": Bars, "ranked": Bars, "texts": Bars, "bins": Histogram, "years": Histogram,
		"times": Lines, "series": Lines, "moment": Lines, "empty": Bars, "pairs": Bars, "sparse": Bars, "uneven": Bars}
	for name, form := range forms {
		if c, err := Of("", answer(t, answers[name]), 0); err != nil || c.Form != form {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	many := "at,who,n#"
	for i := range seriesMax + 1 {
		many += "\n2024-01-01," + strconv.Itoa(i) + ",1"
	}
	for text, want := range map[string]string{
		"n\n1\n2":    "only the column n",
		"a,b\nx,y":   "no column of numbers",
		"a#,b#\n1,2": "no column of keys",
		many:         "who has more than 8 values",
	} {
		if c, err := Of("", answer(t, text), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, c, err, want)
		}
	}
	if _, err := Of("", answer(t, answers["times"]), 1); err == nil || !strings.Contains(err.Error(), "more than 10000 rows") {
		t.Errorf("times and more rows: %v", err)
	}
	four := "a,n#\nx,1\ny,2\nz,3\nu,4"
	c, err := Of("", answer(t, four), 0)
	if got := string(c.AppendText(nil, Look{Height: 10})); err != nil || strings.Contains(got, "more") {
		t.Errorf("one row more than fits, in the place of what would say so: %v, %v", got, err)
	}
	c, err = Of("", answer(t, answers["groups"]), 37)
	if got := string(c.AppendText(nil, Look{Height: 10})); err != nil || !strings.HasSuffix(got, "… 39 more rows\n") {
		t.Errorf("more rows than fit: %v, %v", got, err)
	}
	if got := string(c.AppendText(nil, Look{})); err != nil || !strings.HasSuffix(got, "… 37 more rows\n") {
		t.Errorf("more rows: %v, %v", got, err)
	}
}

// TestBins: every row of a histogram keeps its value, and those between are empty.
func TestBins(t *testing.T) {
	c, err := Of("", answer(t, answers["bins"]), 0)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i, v := range c.Panels[0].Series[0].Values {
		got += c.Labels[i] + ":" + strconv.FormatFloat(v, 'g', -1, 64) + " "
	}
	const want = "-20:1 -10:5 0:20 10:18 20:2 30:0 40:0 50:0 60:0 70:0 80:0 90:0 100:1 null:4 "
	if got != want || c.Step != 10 {
		t.Errorf("got %s, step %v, want %s", got, c.Step, want)
	}
}

// TestScale: an axis has all values, and its ticks are few and told apart.
func TestScale(t *testing.T) {
	for low := -1e7; low < 1e7; low += 123456.7 {
		for _, span := range []float64{0, 1e-3, 0.5, 7, 99.9, 12345, 1e9} {
			ticks := scale(low, low+span, 0, 4)
			last := ticks[len(ticks)-1]
			if ticks[0] > low+1e-6*math.Abs(low) || last < low+span-1e-6*math.Abs(low+span) || len(ticks) < 2 || len(ticks) > 8 {
				t.Fatalf("%v to %v: ticks %v", low, low+span, ticks)
			}
			texts := tickTexts(ticks)
			for i := 1; i < len(texts); i++ {
				if texts[i] == texts[i-1] {
					t.Fatalf("%v to %v: %v is %v", low, low+span, ticks, texts)
				}
			}
		}
	}
}

// TestScaleOfAnything: values that floats can hardly tell apart, and the largest and smallest, have few ticks, too, and a
// chart of them is drawn.
func TestScaleOfAnything(t *testing.T) {
	values := []float64{0, 0.3, 0.30000000000000004, 100.1, 100.10000000000001, 1 << 53, 1<<53 + 2, 1e15 + 1, 1e15 + 1.125,
		1700000000000000001, 1700000000000000300, 5e-324, 1e-323, 1e-310, 1e300, 1e308, math.MaxFloat64}
	for i, a := range values {
		for _, b := range slices.Concat(values[i:], []float64{-a, -values[len(values)-1-i]}) {
			p := Panel{Series: []Series{{At: []float64{0, 1}, Values: []float64{a, b}}}}
			for _, form := range []Form{Bars, Lines, Histogram} {
				ticks := p.ticks(form, 4)
				if n := len(ticks); n < 2 || n > 12 || !(ticks[n-1]-ticks[0] < math.MaxFloat64) || len(tickTexts(ticks)) != n {
					t.Fatalf("%v and %v: ticks %v", a, b, ticks)
				}
			}
			c := &Chart{Form: Lines, Panels: []Panel{p}}
			var picture strings.Builder
			if err := c.SVG(&picture); err != nil || strings.Contains(picture.String(), "NaN") || strings.Contains(picture.String(), "Inf") {
				t.Fatalf("%v and %v: %v\n%s", a, b, err, picture.String())
			}
			if text := string(c.AppendText(nil, Look{})); strings.Contains(text, "NaN") {
				t.Fatalf("%v and %v:\n%s", a, b, text)
			}
		}
	}
}

// TestTimes: the ticks of times are in their range, ascend, and are not more than asked for.
func TestTimes(t *testing.T) {
	for span := 0.5; span < 1e11; span *= 1.7 {
		marks := times(1.7e9, 1.7e9+span, 6)
		if len(marks) == 0 || len(marks) > 7 {
			t.Errorf("%v seconds: %v", span, marks)
		}
		for i, m := range marks {
			if m.at < 1.7e9 || m.at > 1.7e9+span || i > 0 && m.text == marks[i-1].text {
				t.Errorf("%v seconds: %v", span, marks)
			}
		}
	}
}
