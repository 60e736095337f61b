package donations

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Rev9 is the article's last program. It is like Rev8, without lists of names, first names and
// dates, and with the month as an integer. The article reports 3.9 seconds with four cores, 1.7
// times the speed of Rev8 and 6.5 times that of Rev0, and 6,590 MiB of allocated memory. On one, two and
// three processors it reports 12.0, 6.4 and 4.6 seconds.
//
// Kept: pools for lines and donations, chunks of 65,536 lines, a goroutine for each, and the mutex
// around a chunk's results. The article numbers names in the order in which chunks finish, which
// may differ from the file's; here a chunk knows its number.
func Rev9(path string) (Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close() // nothing was written
	r := newRev9()
	lines, err := r.read(path, f, func(chunk int, parsed []datedDonation) {
		for i, row := range Rows {
			if at := row - chunk*chunkLines; at >= 0 && at < len(parsed) {
				r.answer.Names[i] = parsed[at].name
			}
		}
	})
	if err != nil {
		return Answer{}, err
	}
	return r.result(lines), nil
}

// datedDonation is a donation with its month as a number.
type datedDonation struct {
	firstName, name string
	date            int
}

// rev9 is what the goroutines of revision 9 share.
type rev9 struct {
	linesPool, parsedPool sync.Pool

	mu     sync.Mutex
	byName map[string]int64
	byDate map[int]int64
	answer Answer // Names, First and FirstCount
}

func newRev9() *rev9 {
	return &rev9{
		linesPool:  sync.Pool{New: func() any { return make([]string, 0, chunkLines) }},
		parsedPool: sync.Pool{New: func() any { return make([]datedDonation, 0, chunkLines) }},
		byName:     map[string]int64{},
		byDate:     map[int]int64{},
	}
}

// read reads lines and counts them, while others may do so. It calls done with each chunk, while the
// mutex is held.
func (r *rev9) read(path string, in io.Reader, done func(chunk int, parsed []datedDonation)) (int64, error) {
	lineCount := int64(0)
	fresh := func() []string { return r.linesPool.Get().([]string)[:0] }
	err := eachChunkOf(path, in, fresh, func(chunk int, lines []string) error {
		parsed := r.parsedPool.Get().([]datedDonation)[:0]
		for _, text := range lines {
			d, err := parseDated(text)
			if err != nil {
				return err
			}
			parsed = append(parsed, d)
		}
		//lint:ignore SA6002 a slice, as in the article
		r.linesPool.Put(lines)
		r.mu.Lock()
		r.add(parsed)
		lineCount += int64(len(parsed))
		done(chunk, parsed)
		r.mu.Unlock()
		//lint:ignore SA6002 a slice, as in the article
		r.parsedPool.Put(parsed)
		return nil
	})
	return lineCount, err
}

func parseDated(text string) (datedDonation, error) {
	fields, err := split(text)
	if err != nil {
		return datedDonation{}, err
	}
	d := datedDonation{name: strings.TrimSpace(fields[nameField])}
	d.firstName = firstNameUncertain(d.name)
	if comma := strings.Index(d.firstName, ","); comma > 0 {
		d.firstName = d.firstName[:comma]
	}
	// If the month is not a number it counts as month 0, as in the article.
	d.date, _ = strconv.Atoi(fields[imageField][:monthDigits])
	return d, nil
}

func (r *rev9) add(parsed []datedDonation) {
	for _, d := range parsed {
		if d.firstName != "" {
			n := r.byName[d.firstName] + 1
			r.byName[d.firstName] = n
			if n > r.answer.FirstCount {
				r.answer.First, r.answer.FirstCount = d.firstName, n
			}
		}
		r.byDate[d.date]++
	}
}

func (r *rev9) result(lines int64) Answer {
	a := r.answer
	a.Lines, a.Months = lines, map[string]int64{}
	for date, n := range r.byDate {
		a.Months[fmt.Sprintf("%06d", date)] = n
	}
	return a
}
