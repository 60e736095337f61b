// Command gen generates data to search.
//
//	go run ./internal/test/gen/cmd/gen -kind log -bytes 1500000000 -o app.log
//	go run ./internal/test/gen/cmd/gen -kind measurements -rows 100000000 -o measurements.txt
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/test/gen"
)

// request has the flags. Each kind uses those that apply to it.
type request struct {
	kind, out, plant      string
	bytes, rows, distinct int64
	seed                  uint64
}

func main() {
	var r request
	flag.StringVar(&r.kind, "kind", "log", strings.Join(known(), ", "))
	flag.Int64Var(&r.bytes, "bytes", 100_000_000,
		"size of the file; donations, orders and JSON end with the last whole row that fits")
	flag.Int64Var(&r.rows, "rows", 10_000_000, "rows of measurements, keys, groups and sales")
	flag.Int64Var(&r.distinct, "distinct", 1_000_000, "number of distinct keys")
	flag.Uint64Var(&r.seed, "seed", 1, "the same seed gives the same bytes")
	flag.StringVar(&r.plant, "plant", "", "a line planted near the end of a log")
	flag.StringVar(&r.out, "o", "", "file to write; a demo is written into a folder")
	flag.Parse()
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func (r *request) run() error {
	write := kinds[r.kind]
	switch {
	case r.out == "":
		return errors.New("-o is missing: name the file to write")
	case r.kind == "demo":
		return gen.Demo(r.out)
	case r.kind == "haystack":
		return gen.Haystack(r.out, r.bytes)
	case write == nil:
		return fmt.Errorf("-kind %q is unknown (known: %s)", r.kind, strings.Join(known(), ", "))
	}
	f, err := os.Create(r.out)
	if err != nil {
		return err
	}
	return errors.Join(write(f, r), f.Close())
}

// kinds are all kinds except those that create their files themselves.
var kinds = map[string]func(w io.Writer, r *request) error{
	"log": func(w io.Writer, r *request) error {
		var lines []gen.Line
		if r.plant != "" {
			lines = append(lines, gen.Line{Off: r.bytes - r.bytes/100, Text: r.plant})
		}
		return gen.Log(w, r.bytes, r.seed, lines...)
	},
	"disk": func(w io.Writer, r *request) error { return gen.Disk(w, r.bytes, r.seed) },
	"floats": func(w io.Writer, r *request) error {
		return gen.Floats(w, r.bytes/8, r.seed, r.bytes/8-r.bytes/800)
	},
	"donations":    func(w io.Writer, r *request) error { return gen.Donations(w, r.bytes, r.seed) },
	"orders":       func(w io.Writer, r *request) error { return gen.Orders(w, r.bytes, r.seed) },
	"orders-plain": func(w io.Writer, r *request) error { return gen.OrdersPlain(w, r.bytes, r.seed) },
	"hits":         func(w io.Writer, r *request) error { return gen.Hits(w, r.bytes, r.seed, ',') },
	"hits-tabs":    func(w io.Writer, r *request) error { return gen.Hits(w, r.bytes, r.seed, '\t') },
	"groups": func(w io.Writer, r *request) error {
		return gen.Groups(w, r.rows, r.distinct, false, r.seed)
	},
	"groups-nulls": func(w io.Writer, r *request) error {
		return gen.Groups(w, r.rows, r.distinct, true, r.seed)
	},
	"shop-sales":    func(w io.Writer, r *request) error { return gen.Shop()[0].Write(w, r.rows, r.seed) },
	"shop-orders":   func(w io.Writer, r *request) error { return gen.Shop()[1].Write(w, r.rows, r.seed) },
	"shop-products": func(w io.Writer, r *request) error { return gen.Shop()[2].Write(w, r.rows, r.seed) },
	"measurements": func(w io.Writer, r *request) error {
		return gen.Measurements(w, r.rows, r.seed, gen.Stations{})
	},
	"measurements10k": func(w io.Writer, r *request) error {
		return gen.Measurements(w, r.rows, r.seed, gen.Stations{MadeUp: 10_000})
	},
	"json":   func(w io.Writer, r *request) error { return gen.JSON(w, r.bytes, r.seed) },
	"ndjson": func(w io.Writer, r *request) error { return gen.NDJSON(w, r.bytes, r.seed) },
	"keys":   func(w io.Writer, r *request) error { return gen.Keys(w, r.rows, r.distinct, r.seed) },
	"keys-skewed": func(w io.Writer, r *request) error {
		return gen.SkewedKeys(w, r.rows, r.distinct, r.seed)
	},
}

func known() []string {
	names := []string{"demo", "haystack"}
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
