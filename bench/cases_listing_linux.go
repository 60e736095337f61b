package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh/lab/peer"
)

// listed are the folders that are listed, and how often in a sample.
var listed = []struct{ entries, times int }{{1_000, 50}, {100_000, 2}}

// caddyEntriesMax is how many entries Caddy lists; it leaves out the others.
const caddyEntriesMax = 10_000

// listedFolder returns a folder of so many small files.
func (b *bench) listedFolder(entries int) (string, error) {
	served, err := b.served()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(served, fmt.Sprintf("list-%d", entries))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	part := folder + ".part"
	if err := errors.Join(os.RemoveAll(part), os.Mkdir(part, 0o755)); err != nil {
		return "", err
	}
	for i := range entries {
		name := filepath.Join(part, fmt.Sprintf("%s%0*d.txt", listedName, listedDigits, i))
		if err := os.WriteFile(name, []byte("text")[:i%5], 0o644); err != nil {
			return "", err
		}
	}
	return folder, os.Rename(part, folder)
}

// serveListing compares the processor time of complete listings. Before each sample the folder changes,
// so that each server reads it at least once.
func serveListing(ctx context.Context, b *bench, name string) error {
	for _, l := range listed {
		entries := max(10, int(b.scaled(int64(l.entries))))
		folder, err := b.listedFolder(entries)
		if err != nil {
			return err
		}
		for _, accept := range []string{"text/html", "application/json"} {
			if err := b.serveListing(ctx, name, folder, accept, entries, l.times); err != nil {
				return fmt.Errorf("%d entries, %s: %w", entries, accept, err)
			}
		}
	}
	return nil
}

func (b *bench) serveListing(ctx context.Context, name, folder, accept string, entries, times int) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	served, path := filepath.Dir(folder), "/"+filepath.Base(folder)+"/"
	_, terr := st.serveThresh(ctx, served)
	_, nerr := st.serveNginx(ctx, served)
	if err := errors.Join(terr, nerr); err != nil {
		return err
	}
	if entries <= caddyEntriesMax && peer.Missing("caddy") == "" {
		if _, err := st.serveCaddy(ctx, served); err != nil {
			return err
		}
	}
	var sides []contender
	for _, s := range st.servers {
		pids, err := s.pidList()
		if err != nil {
			return err
		}
		at := path
		if s.name == "nginx" && accept == "application/json" {
			at = peer.NginxJSON + at
		}
		c := st.client(s.name, "list", s.addr, at, accept, strconv.Itoa(times), pids)
		c.want = fmt.Sprint(times * entries)
		sides = append(sides, c)
	}
	changed := state{before: func() error {
		now := time.Now()
		return os.Chtimes(folder, now, now)
	}}
	rates, err := b.measure(ctx, changed, int64(times*entries), sides)
	if err != nil {
		return err
	}
	for i, c := range sides[1:] {
		b.add(row{
			Case: name, Peer: c.name, What: "times its CPU per entry",
			Number: summarize(ratios(rates[i+1], rates[0])), // costs are the inverses of rates
			Note: fmt.Sprintf("%s, %d entries, %d times; %s of processor a listing, %s %s", accept, entries, times,
				perListing(rates[0], entries), c.name, perListing(rates[i+1], entries)),
		})
	}
	return nil
}

// perListing formats the processor time for a listing at the median of these rates, in entries per second.
func perListing(rates []float64, entries int) string {
	return fmt.Sprintf("%.2f ms", 1e3*float64(entries)/summarize(rates).Median)
}
