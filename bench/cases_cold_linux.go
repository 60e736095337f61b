package main

import (
	"context"
	"fmt"

	"github.com/thresh-dev/thresh/lab/peer"
)

// fioWay is a way of reading with fio: the number of reads in flight and their size.
type fioWay struct {
	depth     int
	blockSize string
}

func fioWays(quick bool) (ways []fioWay) {
	depths, sizes := []int{1, 4, 16, 32, 64}, []string{"128k", "256k", "512k", "1M", "4M"}
	if quick {
		depths, sizes = []int{4, 32}, []string{"256k", "1M"}
	}
	for _, depth := range depths {
		for _, size := range sizes {
			ways = append(ways, fioWay{depth, size})
		}
	}
	return ways
}

// fio returns fio as a contender. It reads the file sequentially, bypassing the page cache. Its rate
// is the one that fio reports, which excludes its start.
func fio(file *subject, way fioWay, more ...string) contender {
	return contender{
		name: "fio direct", args: peer.Fio(file.Name, file.Bytes, way.depth, way.blockSize, more...),
		answer: func(stdout string) (string, error) {
			_, _, err := peer.ParseFio(stdout)
			return "", err
		},
		rate: func(o outcome) (float64, error) {
			_, rate, err := peer.ParseFio(o.stdout)
			return rate, err
		},
		note: fmt.Sprintf("best of fio's ways: depth %d, blocks of %s", way.depth, way.blockSize),
	}
}

// fiosBest finds fio's fastest way with short runs.
func (b *bench) fiosBest(ctx context.Context, file *subject) (best fioWay, err error) {
	bestRate := 0.0
	for _, way := range fioWays(b.quick) {
		c := fio(file, way, "--time_based", "--runtime=1")
		rate, err := c.sample(ctx, 0)
		if err != nil {
			return best, err
		}
		fmt.Fprintf(b.log, "  fio depth %d, blocks %s: %.2f GB/s\n", way.depth, way.blockSize, rate/1e9)
		if rate > bestRate {
			best, bestRate = way, rate
		}
	}
	return best, nil
}

// cold compares with fio's fastest way.
func cold(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	if err := hay.cold(); err != nil {
		return err
	}
	best, err := b.fiosBest(ctx, hay)
	if err != nil {
		return err
	}
	peer := fio(hay, best)
	peer.target = atLeast(0.95)
	return b.compare(ctx, name, coldState(hay), b.size,
		b.find(b.needleOffset(), "--nonzero", hay.Name), peer)
}

func coldBuffered(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	peer := b.child("buffered read", fmt.Sprint(b.size), "read", hay.Name)
	peer.target = atLeast(1)
	return b.compare(ctx, name, coldState(hay), b.size,
		b.find(b.needleOffset(), "--nonzero", hay.Name), peer)
}
