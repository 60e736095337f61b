package donations

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/internal/test/gen"
)

const seed = 1

// write generates a file of donations and returns the answer by every rule.
func write(ctx context.Context, path string, bytes int64) (answer string, err error) {
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	out := &stoppable{ctx: ctx, f: f}
	if err := errors.Join(gen.Donations(out, bytes, seed), f.Close()); err != nil {
		return "", err
	}
	return answers(path)
}

// stoppable is a file whose writing ends with the context.
type stoppable struct {
	ctx context.Context
	f   *os.File
}

func (s *stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.f.Write(p)
}

// answers answers the four questions in a plain loop, the last one by every rule. Where two first names
// are equally common there is no answer.
func answers(path string) (string, error) {
	a := Answer{Months: map[string]int64{}}
	counts := map[rule]map[string]int64{}
	for _, by := range rules {
		counts[by] = map[string]int64{}
	}
	err := eachLine(path, func(text string) error {
		fields, err := split(text)
		if err != nil {
			return err
		}
		name := strings.TrimSpace(fields[nameField])
		a.keepName(int(a.Lines), name)
		a.Lines++
		a.Months[fields[imageField][:monthDigits]]++
		for _, by := range rules {
			if first := by.firstName(name); first != "" {
				counts[by][first]++
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	text := a.linesText() + a.commonText()
	for _, by := range rules {
		if err := a.count(counts[by]); err != nil {
			return "", fmt.Errorf("answers about %s: %w", path, err)
		}
		text += a.firstText(by)
	}
	return text, nil
}

func (a *Answer) count(names map[string]int64) error {
	a.First, a.FirstCount = "", 0
	other := ""
	for name, n := range names {
		switch {
		case n > a.FirstCount:
			a.First, a.FirstCount, other = name, n, ""
		case n == a.FirstCount:
			other = name
		}
	}
	if other != "" {
		return fmt.Errorf("%s and %s are equally common, and so the most common first name is not defined: "+
			"take another size", a.First, other)
	}
	return nil
}

// ReadBytes reads lines without making strings of them. The article reports 2.39 seconds and nothing
// allocated, and takes it for where the wall might be broken.
func ReadBytes(path string) (Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close() // nothing was written
	var a Answer
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		_ = scanner.Bytes()
		a.Lines++
	}
	if err := scanner.Err(); err != nil {
		return Answer{}, fmt.Errorf("read %s: %w", path, err)
	}
	return a, nil
}

// ReadText is what the article calls the wall: Rev9 without the goroutine that processes lines. It reads
// lines as strings and keeps 65,536 of them. The article reports 3.57 seconds, of the 3.88 that Rev9
// takes, and 3,540 MiB of allocated memory: each line is copied into a string of its own.
//
// Kept: the slice of lines, used again for the next chunk, as the pool does it.
func ReadText(path string) (Answer, error) {
	var a Answer
	full, lines := chunkLines, newLines()
	err := eachLine(path, func(text string) error {
		a.Lines++
		if lines = append(lines, text); len(lines) == full {
			lines = lines[:0]
		}
		return nil
	})
	return a, err
}
