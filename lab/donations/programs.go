package donations

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// runProgram runs a program in another language. It prints lines such as "name: DOE, JANE", for each
// of the rows that are asked for, and "seconds: 1.5", if it has a clock of its own; otherwise the
// process is timed.
func runProgram(ctx context.Context, t lab.Task, by rule, name string, args ...string) (lab.Outcome, error) {
	c := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr, c.Dir = &stdout, &stderr, t.Folder
	begin := time.Now()
	err := c.Run()
	o := lab.Outcome{Seconds: time.Since(begin).Seconds(), Bytes: t.Bytes}
	if err != nil {
		return lab.Outcome{}, fmt.Errorf("%s: %w: %.500s", name, err, bytes.TrimSpace(stderr.Bytes()))
	}
	a, seconds, err := parseAnswer(stdout.String())
	if err != nil {
		return lab.Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	if seconds > 0 {
		o.Seconds = seconds
	}
	o.UserSeconds = c.ProcessState.UserTime().Seconds()
	o.SystemSeconds = c.ProcessState.SystemTime().Seconds()
	o.Items, o.Answer = a.Lines, a.text(by)
	return o, nil
}

// parseAnswer parses what a program prints.
func parseAnswer(stdout string) (a Answer, seconds float64, err error) {
	a.Months = map[string]int64{}
	names := 0
	lines := bufio.NewScanner(strings.NewReader(stdout))
	for lines.Scan() {
		what, value, _ := strings.Cut(lines.Text(), ": ")
		var e error
		switch what {
		case "seconds":
			seconds, e = strconv.ParseFloat(value, 64)
		case "lines":
			a.Lines, e = strconv.ParseInt(value, 10, 64)
		case "name":
			if names == len(a.Names) {
				return a, 0, fmt.Errorf("it prints more than %d names", len(a.Names))
			}
			a.Names[names] = strings.TrimSpace(value)
			names++
		case "month":
			var month string
			var n int64
			month, n, e = lastNumber(value)
			a.Months[month] += n
		case "first":
			a.First, a.FirstCount, e = lastNumber(value)
		default:
			e = errors.New("it means nothing")
		}
		if e != nil {
			return a, 0, fmt.Errorf("line %q of its output: %w", lines.Text(), e)
		}
	}
	return a, seconds, lines.Err()
}

// lastNumber splits "JOHN 17" into its parts.
func lastNumber(text string) (string, int64, error) {
	space := strings.LastIndexByte(text, ' ')
	if space < 0 {
		return "", 0, errors.New("it has no number")
	}
	n, err := strconv.ParseInt(text[space+1:], 10, 64)
	return text[:space], n, err
}
