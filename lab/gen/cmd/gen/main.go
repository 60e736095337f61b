// Command gen writes data to search.
//
//	go run ./lab/gen/cmd/gen -kind log -bytes 1500000000 -o app.log
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/lab/gen"
)

func main() {
	kind := flag.String("kind", "log", "log, haystack, disk or floats")
	size := flag.Int64("bytes", 100_000_000, "size of the file in bytes")
	seed := flag.Uint64("seed", 1, "the same seed gives the same bytes")
	plant := flag.String("plant", "", "a line planted near the end of a log")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := run(*kind, *out, *size, *seed, *plant); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(kind, out string, size int64, seed uint64, plant string) error {
	if out == "" {
		return errors.New("-o names no file")
	}
	if kind == "haystack" {
		return gen.Haystack(out, size)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(write(f, kind, size, seed, plant), f.Close())
}

func write(w io.Writer, kind string, size int64, seed uint64, plant string) error {
	switch kind {
	case "log":
		var lines []gen.Line
		if plant != "" {
			lines = append(lines, gen.Line{Off: size - size/100, Text: plant})
		}
		return gen.Log(w, size, seed, lines...)
	case "disk":
		return gen.Disk(w, size, seed)
	case "floats":
		return gen.Floats(w, size/8, seed, size/8-size/800)
	}
	return fmt.Errorf("-kind %q is unknown (known: log, haystack, disk, floats)", kind)
}
