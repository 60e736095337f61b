package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed peers/files.lua
var askFiles string

const (
	servedSmallFiles = 100
	servedSmallBytes = 4 << 10
	smallConns       = 100
)

// serveSmall compares requests per second for many small files in turn, and for a single one.
func serveSmall(ctx context.Context, b *bench, name string) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	script := filepath.Join(st.temp, "files.lua")
	if err := os.WriteFile(script, []byte(askFiles), 0o644); err != nil {
		return err
	}
	var files []*subject
	var paths []string
	defer func() {
		for _, f := range files {
			f.Close() // read only
		}
	}()
	for i := range servedSmallFiles {
		file, err := b.servedFile(fmt.Sprintf("small-%02d", i), servedSmallBytes)
		if err != nil {
			return err
		}
		files = append(files, file)
		paths = append(paths, "/"+filepath.Base(file.Name))
	}
	folder := filepath.Dir(files[0].Name)
	_, terr := st.serveThresh(ctx, folder)
	_, nerr := st.serveNginx(ctx, folder)
	_, gerr := st.serveGo(ctx, folder, false)
	if err := errors.Join(terr, nerr, gerr); err != nil {
		return err
	}
	for _, s := range st.servers {
		for i, file := range files {
			if err := s.sameFile(ctx, paths[i], file); err != nil {
				return err
			}
		}
	}
	targets := []target{{}, atLeast(0.7), atLeast(1.3)}
	if err := st.compareRequests(ctx, name, script, 2, paths, targets, "100 files in turn"); err != nil {
		return err
	}
	return st.compareRequests(ctx, name, script, 1, paths[:1], make([]target, len(targets)), "one file")
}

// compareRequests measures the requests per second of the stage's servers. The first one is thresh;
// each other one gets a row.
func (st *stage) compareRequests(
	ctx context.Context, name, script string, seconds int, paths []string, targets []target, what string,
) error {
	cpu := make([][]float64, len(st.servers)) // share of its processor that a server used, by sample
	var sides []contender
	for i, s := range st.servers {
		pids, err := s.pids()
		if err != nil {
			return err
		}
		args := append(on(st.pins.client, "wrk", "-t1", "-c"+strconv.Itoa(smallConns),
			fmt.Sprintf("-d%ds", seconds), "-s", script, "http://"+s.addr, "--"), paths...)
		begin := 0.0
		sides = append(sides, contender{
			name: s.name, args: args, want: "right",
			answer: func(stdout string) (string, error) {
				_, err := parseWrk(stdout, servedSmallBytes)
				return "right", err
			},
			before: func() (err error) {
				begin, err = cpuSeconds(pids)
				return err
			},
			rate: func(o outcome) (float64, error) {
				r, err := parseWrk(o.stdout, servedSmallBytes)
				end, cerr := cpuSeconds(pids)
				took := float64(r.Micros) / 1e6
				cpu[i] = append(cpu[i], (end-begin)/took)
				return float64(r.Requests) / took, errors.Join(err, cerr)
			},
		})
	}
	rates, err := st.measure(ctx, anyState(), servedSmallBytes, sides)
	if err != nil {
		return err
	}
	perCPU := make([][]float64, len(sides)) // requests per second of processor time
	for i := range sides {
		perCPU[i] = ratios(rates[i], cpu[i][1:]) // the rates do not include the first round
	}
	note := func(i int) string {
		return fmt.Sprintf("%s %.0f a second by %.0f %% of its processor",
			sides[i].name, summarize(rates[i]).Median, 100*summarize(cpu[i]).Median)
	}
	for i := 1; i < len(sides); i++ {
		st.add(row{
			Case: name, Peer: sides[i].name, What: timesItsRequests, Target: targets[i],
			Number: summarize(ratios(rates[0], rates[i])),
			Note: fmt.Sprintf("%s; %s, %s; by processor time %.2f times",
				what, note(0), note(i), summarize(ratios(perCPU[0], perCPU[i])).Median),
		})
	}
	return nil
}
