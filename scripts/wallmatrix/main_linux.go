// Command wallmatrix counts how often thresh wall is right about commands whose walls are known, and
// measures how much it slows commands down.
//
//	go run ./scripts/wallmatrix               quiet
//	go run ./scripts/wallmatrix -neighbours 2 beside two programs that compute
//	go run ./scripts/wallmatrix -overhead 20 -thresh bin/thresh
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/internal/test/walls"
	"github.com/thresh-dev/thresh/wall"
)

func main() {
	walls.Help()
	neighbours := flag.Int("neighbours", 0, "how many other programs compute meanwhile")
	overhead := flag.Int("overhead", 0, "measure with so many rounds how much slower commands become")
	thresh := flag.String("thresh", "bin/thresh", "the program to measure")
	heldBack := flag.Bool("held-back", false, "run the third of the commands that rules are not made for, not the others")
	only := flag.String("only", "", "only commands whose names contain this")
	flag.Parse()
	var err error
	if *overhead > 0 {
		err = measureOverhead(*thresh, *only, *overhead)
	} else {
		err = matrix(*neighbours, *only, *heldBack)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wallmatrix:", err)
		os.Exit(1)
	}
}

// matrix runs all commands and prints what was said about those of each wall.
func matrix(neighbours int, only string, heldBack bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range neighbours {
		busy := exec.CommandContext(ctx, "perl", "-e", "1 while 1")
		if err := busy.Start(); err != nil {
			return err
		}
		defer func() {
			cancel()
			_ = busy.Wait() // killed: this program must not end before
		}()
	}
	said := map[wall.Wall]map[wall.Wall]int{}
	right, all, other := 0, 0, 0
	var wants []wall.Wall
	for _, c := range slices.Concat(walls.Known, walls.More, walls.Languages) {
		if !strings.Contains(c.Name, only) || heldBack != walls.HeldBack(c.Name) {
			continue
		}
		r, err := c.Run(ctx)
		if err != nil {
			return err
		}
		if said[c.Want] == nil {
			said[c.Want] = map[wall.Wall]int{}
			wants = append(wants, c.Want)
		}
		said[c.Want][r.Wall]++
		all++
		switch {
		case r.Wall == c.Want:
			right++
		case c.Right(r):
			other++
		default:
			fmt.Printf("%-32s want %s, got %s\n", c.Name, c.Want, r.Sentence)
		}
	}
	fmt.Printf("\n%-28s said\n", "wall")
	for _, want := range wants {
		var list []string
		for got, n := range said[want] {
			list = append(list, fmt.Sprintf("%s %d", got, n))
		}
		slices.Sort(list)
		fmt.Printf("%-28s %s\n", want, strings.Join(list, ", "))
	}
	fmt.Printf("\n%d commands, %d named right, %d held back by other programs, %d wrong\n", all, right, other,
		all-right-other)
	return nil
}

// measureOverhead runs commands in turn alone, with thresh wall, and alone once more: what the two kinds of runs
// alone differ by is how far the machine can tell.
func measureOverhead(thresh, only string, rounds int) error {
	for _, c := range []struct{ name, line string }{
		{"system calls", `dd if=/dev/zero of=/dev/null bs=1 count=3000000 2>/dev/null`},
		{"starting processes", `i=0; while [ $i -lt 2500 ]; do /bin/true; i=$((i+1)); done`},
		{"computing", `perl -e '$i++ while $i < 6e7'`},
	} {
		if !strings.Contains(c.name, only) {
			continue
		}
		seconds, err := quantile.Turns(3, rounds, func(side int) (float64, error) { // alone, watched, alone
			words := []string{"sh", "-c", c.line}
			if side == 1 {
				words = append([]string{thresh, "wall", "--"}, words...)
			}
			began := time.Now()
			if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
				return 0, fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, out)
			}
			return time.Since(began).Seconds(), nil
		})
		if err != nil {
			return err
		}
		fmt.Printf("%-20s alone %.3f s; watched: %s\n%-20s alone once more: %s\n", c.name, quantile.Median(seconds[0]),
			compared(seconds[1], seconds[0]), "", compared(seconds[2], seconds[0]))
	}
	return nil
}

// compared says how the times of a differ from those of b in the same rounds.
func compared(a, b []float64) string {
	ratios := slices.Sorted(slices.Values(quantile.Ratios(a, b)))
	return fmt.Sprintf("ratio %.4f, quartiles %.4f to %.4f, least against least %.4f",
		quantile.Of(ratios, 0.5), quantile.Of(ratios, 0.25), quantile.Of(ratios, 0.75), slices.Min(a)/slices.Min(b))
}
