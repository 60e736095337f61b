package tabletest

// style says how the numbers of a column are printed: with the number of decimals of its most
// precise exact decimal; or all as floats, if any number has an exponent.
type style struct {
	decimals int
	float    bool
	texts    bool // no value is a number, and some are texts
	times    bool // all of these are times
	numbers  bool // some values are numbers, and none is anything else
}

// survey examines the values that are used as numbers. It counts the fields that are not numbers,
// and returns the style of each value, by its text.
//
// min, max, first and last are about numbers if any value is a number; otherwise they are about times if
// all values are times; otherwise about texts. Without another use of the numbers,
// texts and times are then not counted.
func (q Question) survey(records [][]string, result *Result) (styles map[string]style) {
	styles = map[string]style{}
	counted := map[string]bool{}
	for _, ask := range q.Asks {
		for _, a := range ask.Aggs {
			for _, v := range a.uses() {
				s, notNumbers := v.survey(records)
				styles[v.Text] = s
				if s.texts && !v.asWritten && !v.byValues {
					result.NoNumbers[notNumbers] = true
				}
				if notNumbers > 0 && !counted[v.Text] && !v.asWritten && !(v.byValues && s.texts) {
					counted[v.Text] = true
					result.Bad[v.column()] += notNumbers // those of all expressions together are those of column 0
				}
			}
		}
	}
	return styles
}

// survey returns the style of a value, and how many are not numbers.
func (v Value) survey(records [][]string) (s style, notNumbers int64) {
	numbers := 0
	s.times = true
	for _, fields := range records {
		n, missing, ok := parse(v.Of(fields))
		if ok {
			numbers++
		} else if !missing {
			notNumbers++
			_, isTime := parseTime(v.Of(fields))
			s.times = s.times && isTime
		}
		s.decimals = max(s.decimals, n.decimals)
		s.float = s.float || n.isFloat
	}
	s.texts = numbers == 0 && notNumbers > 0
	s.times = s.times && s.texts
	s.numbers = numbers > 0 && notNumbers == 0
	return s, notNumbers
}

// column returns the number of the column that the value is, 0 if it is none.
func (v Value) column() int {
	if len(v.Columns) == 1 && v.Text == Column(v.Columns[0]).Text {
		return v.Columns[0]
	}
	return 0
}
