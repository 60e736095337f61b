package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// earlyPlace is where the first hit of a search lies, and how much longer than the process's start
// finding it may take when the file is cached.
type earlyPlace struct {
	name   string
	off    int64
	target target // milliseconds more than the same question about a small file
}

func earlyPlaces() []earlyPlace {
	return []earlyPlace{
		{"line 1", 0, atMost(0.3)},
		{"1 MiB", 1<<20 - 1<<10, atMost(0.3)},
		{"16 MiB", 16<<20 - 1<<10, atMost(1)},
	}
}

var requestID = regexp.MustCompile(`req=[0-9a-f]{8}`)

// requestAt returns the first request from off on that is in no earlier line, and its offset.
func (s *subject) requestAt(off int64) (text string, at int64, err error) {
	head, err := io.ReadAll(io.NewSectionReader(s.OS(), 0, off+1<<16))
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", s.Name, err)
	}
	for _, m := range requestID.FindAllIndex(head[min(off, int64(len(head))):], -1) {
		found := head[off+int64(m[0]) : off+int64(m[1])]
		if at = int64(bytes.Index(head, found)); at >= off {
			return string(found), at, nil
		}
	}
	return "", 0, fmt.Errorf("%s has no new request behind %d", s.Name, off)
}

// early compares searches of a big file whose first hit lies early: with the same question about a
// small file, which takes as long as the process needs to start, and with programs that stop at
// their first match.
func early(ctx context.Context, b *bench, name string) error {
	const processes = 20
	return b.early(ctx, name, processes, warmState)
}

// earlyCold is early for a file that is not in the page cache.
func earlyCold(ctx context.Context, b *bench, name string) error {
	return b.early(ctx, name, 1, coldState)
}

func (b *bench) early(ctx context.Context, name string, processes int, cache func(*subject) state) (err error) {
	log, _, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	little, err := b.smallFile()
	if err != nil {
		return err
	}
	defer little.Close()
	needle, err := little.find([]byte("needle"))
	if err != nil {
		return err
	}
	for _, place := range earlyPlaces() {
		text, at, err := log.requestAt(place.off)
		if err != nil {
			return err
		}
		match := strconv.FormatInt(at, 10) + ":" + text
		sides := []contender{
			b.find(at, "--text", text, log.Name),
			b.find(needle, "--text", "needle", little.Name),
			{name: "rg -m1", args: []string{"rg", "--no-config", "-b", "-o", "-m1", "-F", text, log.Name}, want: match},
			{name: "grep -m1", args: []string{"grep", "-a", "-b", "-o", "-m1", "-F", text, log.Name}, want: match,
				env: []string{"LC_ALL=C"}},
		}
		for i := range sides {
			sides[i].repeat = processes
		}
		rates, err := b.measure(ctx, cache(log), 1, sides) // processes a second
		if err != nil {
			return errors.Join(fmt.Errorf("a hit at %s", place.name), err)
		}
		b.addEarly(name, place, sides, rates, processes > 1)
	}
	return nil
}

// addEarly adds the rows of one place.
func (b *bench) addEarly(name string, place earlyPlace, sides []contender, rates [][]float64, warm bool) {
	var more []float64
	for i := range rates[0] {
		more = append(more, 1000/rates[0][i]-1000/rates[1][i])
	}
	start := row{Case: name, Peer: "start, " + place.name, What: millisecondsMore, Number: summarize(more),
		Note: fmt.Sprintf("%.2f ms a process, in a small file %.2f ms", medianMillis(rates[0]), medianMillis(rates[1]))}
	if warm {
		start.Target = place.target
	}
	b.add(start)
	for i := 2; i < len(sides); i++ {
		b.add(row{Case: name, Peer: sides[i].name + ", " + place.name, What: timesItsTime,
			Number: summarize(ratios(rates[i], rates[0])), // times are the inverses of rates
			Note:   fmt.Sprintf("%.2f ms a process, %s %.2f ms", medianMillis(rates[0]), sides[i].name, medianMillis(rates[i]))})
	}
}

// medianMillis returns the median time of a process in milliseconds.
func medianMillis(rates []float64) float64 { return 1000 / summarize(rates).Median }
