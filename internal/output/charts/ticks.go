package charts

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// ticks returns those of an axis for the values of a panel. Columns of a histogram begin at zero.
func (p *Panel) ticks(form Form, about int) []float64 {
	least := 1.0 // there is nothing between whole numbers
	for _, s := range p.Series {
		if slices.ContainsFunc(s.Values, func(v float64) bool { return drawn(v) && v != math.Trunc(v) }) {
			least = 0
		}
	}
	low, high := p.bounds()
	if form == Histogram {
		low, high = min(low, 0), max(high, 0)
	}
	return scale(low, high, least, about)
}

// scale returns an axis that has all values and ends at ticks, about as many as asked for, at 1, 2 or 5 times a power
// of ten, with at least a distance between them. It begins at zero unless the values are close to each other.
func scale(low, high, least float64, about int) (ticks []float64) {
	if low > 0 && high-low > high/4 {
		low = 0
	}
	if high < 0 && high-low > -low/4 {
		high = 0
	}
	// What is closer than floats can tell ticks apart begins at zero, too.
	if high-low <= 1e-9*max(high, -low) {
		low, high = min(low, 0), max(high, 0)
	}
	if high-low < 1e-300 {
		low, high = 0, 1
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(about))))
	for _, times := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*times) <= float64(about)+0.5 {
			step *= times
			break
		}
	}
	step = max(step, least)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	for n := first; n <= last; n++ {
		ticks = append(ticks, n*step)
	}
	return ticks
}

// tickTexts are the numbers at ticks: with the digits that tell them apart, and a letter for powers of a thousand.
func tickTexts(ticks []float64) (texts []string) {
	most := max(math.Abs(ticks[0]), math.Abs(ticks[len(ticks)-1]))
	unit, letter := 1.0, ""
	for _, u := range []struct {
		from, unit float64
		letter     string
	}{{1e4, 1e3, "k"}, {1e6, 1e6, "M"}, {1e9, 1e9, "G"}, {1e12, 1e12, "T"}} {
		if most >= u.from && most < 1e15 {
			unit, letter = u.unit, u.letter
		}
	}
	step := (ticks[1] - ticks[0]) / unit
	for _, t := range ticks {
		text := strconv.FormatFloat(t/unit, 'f', max(0, -int(math.Floor(math.Log10(step)+1e-9))), 64)
		if most >= 1e15 || most < 1e-4 {
			text = strconv.FormatFloat(t, 'g', 3, 64)
		}
		if t != 0 {
			text += letter
		}
		texts = append(texts, text)
	}
	return texts
}

// timeSteps are the distances of ticks of times: seconds, or months from a month on.
var timeSteps = []struct {
	seconds float64
	months  int
	layout  string
}{
	{1, 0, "15:04:05"}, {5, 0, "15:04:05"}, {15, 0, "15:04:05"}, {60, 0, "15:04"}, {300, 0, "15:04"}, {900, 0, "15:04"},
	{3600, 0, "15:04"}, {3 * 3600, 0, "01-02 15:04"}, {12 * 3600, 0, "01-02 15:04"}, {86400, 0, "2006-01-02"},
	{2 * 86400, 0, "2006-01-02"}, {7 * 86400, 0, "2006-01-02"}, {month, 1, "2006-01"}, {3 * month, 3, "2006-01"},
	{6 * month, 6, "2006-01"}, {12 * month, 12, "2006"}, {24 * month, 24, "2006"}, {60 * month, 60, "2006"},
	{120 * month, 120, "2006"}, {600 * month, 600, "2006"}, {1200 * month, 1200, "2006"}, {12000 * month, 12000, "2006"},
}

const month = 365.2425 / 12 * 86400

// mark is a place on an axis with its text.
type mark struct {
	at   float64
	text string
}

// times returns at most so many ticks between two times.
func times(low, high float64, most int) (marks []mark) {
	step := timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if (high-low)/s.seconds <= float64(most) {
			step = s
			break
		}
	}
	at := time.Unix(int64(math.Floor(low)), 0).UTC()
	next := func() {
		if step.months == 0 {
			at = at.Add(time.Duration(step.seconds) * time.Second)
			return
		}
		at = at.AddDate(0, step.months, 0)
	}
	if step.months > 0 {
		months := (at.Year()*12 + int(at.Month()) - 1) / step.months * step.months
		at = time.Date(months/12, time.Month(months%12+1), 1, 0, 0, 0, 0, time.UTC)
	} else {
		at = time.Unix(int64(math.Floor(low/step.seconds)*step.seconds), 0).UTC()
	}
	for ; float64(at.Unix()) <= high; next() {
		if float64(at.Unix()) >= low {
			marks = append(marks, mark{float64(at.Unix()), at.Format(step.layout)})
		}
	}
	if len(marks) == 0 {
		marks = []mark{{low, time.Unix(int64(math.Floor(low)), 0).UTC().Format(time.DateTime)}}
	}
	return marks
}

// when writes a time with no more than it has.
func when(at float64) string {
	t := time.Unix(int64(math.Floor(at)), 0).UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.DateTime)
}
