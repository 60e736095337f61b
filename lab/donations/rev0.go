package donations

import (
	"regexp"
	"strings"
)

var firstNamePattern = regexp.MustCompile(`, \s*([^, ]+)`)

// Rev0 is the article's first program. A loop over the lines fills a list of names, a list of first
// names found by a regular expression, and a list of dates. At the end it counts all three. The
// article reports 25 seconds.
//
// Kept: the three lists, FindAllStringSubmatch, and dates as text.
func Rev0(path string) (Answer, error) {
	var names, firstNames, dates []string
	err := eachLine(path, func(text string) error {
		fields, err := split(text)
		if err != nil {
			return err
		}
		name := strings.TrimSpace(fields[nameField])
		names = append(names, name)
		if found := firstNamePattern.FindAllStringSubmatch(name, 1); len(found) > 0 {
			firstNames = append(firstNames, found[0][1])
		}
		digits := fields[imageField][:monthDigits]
		dates = append(dates, digits[:4]+"-"+digits[4:])
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Lines: int64(len(names)), Months: map[string]int64{}}
	a.keepNames(0, names)
	byDate := map[string]int64{}
	for _, date := range dates {
		byDate[date]++
	}
	for date, n := range byDate {
		a.Months[strings.ReplaceAll(date, "-", "")] = n
	}
	counts := map[string]int64{}
	for _, name := range firstNames {
		n := counts[name] + 1
		counts[name] = n
		if n > a.FirstCount {
			a.First, a.FirstCount = name, n
		}
	}
	return a, nil
}
