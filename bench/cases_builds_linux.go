package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/thresh-dev/thresh/lab/gen"
)

// These cases compare the ordinary build with the GOEXPERIMENT=simd build on whole commands.

func buildsNonzero(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	return b.bothBuilds(ctx, name, warmState(hay), b.size, b.find(b.needleOffset(), "--nonzero", hay.Name))
}

func buildsLines(ctx context.Context, b *bench, name string) error {
	log, _, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	feeds, err := occurrences(log, "\n")
	if err != nil {
		return err
	}
	return b.bothBuilds(ctx, name, warmState(log), log.Bytes, b.count(feeds+unended(log), "--lines", log.Name))
}

// buildsFind searches for the matching part of the planted line.
func buildsFind(match string, question ...string) func(context.Context, *bench, string) error {
	return func(ctx context.Context, b *bench, name string) error {
		log, line, err := b.logFile()
		if err != nil {
			return err
		}
		defer log.Close()
		at := line + int64(strings.Index(planted, match))
		return b.bothBuilds(ctx, name, warmState(log), log.Bytes, b.find(at, append(question, log.Name)...))
	}
}

func buildsCount(ctx context.Context, b *bench, name string) error {
	file, n, err := b.numbers(b.size)
	if err != nil {
		return err
	}
	defer file.Close()
	return b.bothBuilds(ctx, name, warmState(file), file.Bytes, b.count(n, append(equalsTen, file.Name)...))
}

// buildsStats gets the right answer from the plain twins.
func buildsStats(ctx context.Context, b *bench, name string) error {
	const width = 8
	size := b.scaled(1_000_000_000) &^ (width - 1)
	file, err := b.data.file("floats", size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(gen.Floats(f, size/width, tableSeed, size/width/2), f.Sync(), f.Close())
	})
	if err != nil {
		return err
	}
	defer file.Close()
	ask := contender{name: "thresh", args: []string{b.thresh, "count", "--type", "f64", "--stats", file.Name}}
	twin := ask
	twin.env = []string{"THRESH_ISA=plain"}
	twin.answer = func(stdout string) (string, error) {
		ask.want = strings.TrimSpace(stdout)
		return "", nil
	}
	if _, err := twin.exec(ctx); err != nil {
		return err
	}
	return b.bothBuilds(ctx, name, warmState(file), file.Bytes, ask)
}

func buildsMinify(flags ...string) func(context.Context, *bench, string) error {
	return func(ctx context.Context, b *bench, name string) error {
		size := b.scaled(minifyFileBytes)
		file, err := b.tableFile(fmt.Sprintf("builds-%d.json", size), size, func(w io.Writer) error {
			return gen.JSON(w, size, tableSeed)
		})
		if err != nil {
			return err
		}
		defer file.Close()
		want, err := minifiedSum(file.Name)
		if err != nil {
			return err
		}
		out := filepath.Join(filepath.Dir(file.Name), "minified")
		return b.bothBuilds(ctx, name, warmState(file), file.Bytes, contender{
			name: "thresh", args: append([]string{b.thresh, "minify", "-o", out, file.Name}, flags...), want: want,
			answer: func(string) (string, error) {
				sum, err := fileSum(out)
				return sum, errors.Join(err, os.Remove(out))
			},
		})
	}
}

func buildsTable(ctx context.Context, b *bench, name string) error {
	file, err := b.donations(1_500_000_000)
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := simpleDonations(file, regexp.MustCompile(firstNameKey))
	if err != nil {
		return err
	}
	return b.bothBuilds(ctx, name, warmState(file), file.Bytes, b.table(want, append(donationQuestions, file.Name)...))
}

func buildsMeasurements(ctx context.Context, b *bench, name string) error {
	file, want, err := b.measurements("measurements", rowsOfMeasurements, 15, gen.Stations{})
	if err != nil {
		return err
	}
	defer file.Close()
	return b.bothBuilds(ctx, name, warmState(file), file.Bytes, b.table(want, append(measurementQuestion, file.Name)...))
}
