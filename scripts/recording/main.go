// Command recording makes docs/recording.svg: commands of thresh as they run in a terminal, on data of the kind
// that the demo has. What is shown, and how long each command takes, is what happened.
//
//	make recording                              # about 2 GB of data, for half a minute
//	go run ./scripts/recording -scale 0.01 -o x.svg
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/test/gen"
)

// commands are what the recording shows.
var commands = []string{
	`thresh grep -n 'req=7f3a9c01' app.log`,
	`thresh find --nonzero wiped.img`,
	`thresh find --type f64 --nan weights.bin`,
	`thresh table itcont.txt -d '|' --quote none --rows --top '3:8~, *([^, ]+)'`,
}

const columns = 104 // of the terminal

// take is a command that was run.
type take struct {
	command, output string
	seconds         float64
}

func main() {
	scale := flag.Float64("scale", 1, "size of the data: 1 is 2 GB")
	program := flag.String("thresh", "bin/thresh", "the program to record")
	out := flag.String("o", "docs/recording.svg", "file to write")
	flag.Parse()
	if err := record(*program, *out, *scale); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func record(program, out string, scale float64) (err error) {
	folder, err := os.MkdirTemp("", "thresh-recording-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := generate(folder, scale); err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	shell := func(command string) ([]byte, error) {
		// script gives the command a terminal, so that it shows what people see.
		c := exec.Command("script", "-qec", fmt.Sprintf("stty cols %d; %s", columns, command),
			filepath.Join(folder, "typescript"))
		c.Dir = folder
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"),
			"XDG_CACHE_HOME="+folder, "TERM=xterm")
		return c.CombinedOutput()
	}
	if text, err := shell("thresh limits"); err != nil { // for the receipts: what copies and faults cost here
		return fmt.Errorf("thresh limits: %w\n%s", err, text)
	}
	var takes []take
	for _, command := range commands {
		began := time.Now()
		text, err := shell(command)
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, text)
		}
		takes = append(takes, take{command, string(text), time.Since(began).Seconds()})
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(draw(f, takes), f.Close())
}

// generate makes the data that the commands ask about.
func generate(folder string, scale float64) error {
	bytes := func(n float64) int64 { return int64(n*scale) / 8 * 8 }
	write := func(name string, make func(w io.Writer) error) error {
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		return errors.Join(make(f), f.Close())
	}
	return errors.Join(
		write("app.log", func(w io.Writer) error {
			n := bytes(1e9)
			return gen.Log(w, n, 1, gen.Line{Off: n - n/100, Text: "2026-01-02T09:41:07.113Z ERROR billing " +
				"req=7f3a9c01 user=555000111 card declined, retry 3 of 3"})
		}),
		write("weights.bin", func(w io.Writer) error {
			n := bytes(256e6) / 8
			return gen.Floats(w, n, 1, n-n/100)
		}),
		write("itcont.txt", func(w io.Writer) error { return gen.Donations(w, bytes(400e6), 1) }),
		gen.Haystack(filepath.Join(folder, "wiped.img"), bytes(640e6)),
	)
}

// lines returns what a terminal shows of output, folded at its right edge, at a space if there is one.
// Colours are left out, and so is what was overwritten.
func lines(output string) (shown []string) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		line = escape.ReplaceAllString(line, "")
		line = line[strings.LastIndex(line, "\r")+1:]
		for {
			runes := []rune(line)
			if len(runes) <= columns {
				break
			}
			edge := columns
			if space := strings.LastIndex(string(runes[:columns+1]), " "); space > 0 {
				edge = len([]rune(string(runes[:columns+1])[:space]))
			}
			shown, line = append(shown, string(runes[:edge])), strings.TrimPrefix(string(runes[edge:]), " ")
		}
		shown = append(shown, line)
	}
	return shown
}
