package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// netChild runs a server or a client, one of
//
//	fileserver ADDR FOLDER [LOG]            serves files with net/http; with LOG behind a middleware
//	upstream ADDR                           sends the requested number of bytes
//	copyrelay ADDR TO                       relays connections with a copy loop of 32 KiB
//	download ADDR PATH RANGES CONNS TIMES PIDS
//	                                        downloads over many connections; prints work
//	list ADDR PATH ACCEPT TIMES PIDS        reads all pages of a listing; prints work, of entries
//	stream ADDR CONNS BYTES IDLE PIDS       receives bytes through a relay; prints work
//	stream-check ADDR CONNS BYTES IDLE PIDS the same, and compares the bytes
//	probe ADDR PATH BYTES COUNT             small requests, one after another; prints latency
//	fetch URL BYTES CONNS RANGE MILLIS      reads an object by ranges of that size; prints work
//	delay ADDR TO MICROS WINDOW             relays connections like a long way, see delayed
//	slow ADDR PATH FILE CONNS FINISH        many slow downloads, until standard input ends
//
// PIDS are the processes whose processor time is measured, separated by commas.
func netChild(args []string, stdin io.Reader, stdout io.Writer) error {
	ctx := context.Background() // a signal ends a server
	if len(args) == 0 {
		return errors.New("no task given")
	}
	switch fmt.Sprintf("%s %d", args[0], len(args)-1) {
	case "fileserver 2":
		return fileServer(ctx, args[1], args[2], "")
	case "fileserver 3":
		return fileServer(ctx, args[1], args[2], args[3])
	case "upstream 1":
		return upstream(ctx, args[1])
	case "copyrelay 2":
		return copyRelay(ctx, args[1], args[2])
	case "download 6":
		n, err := atois(args[4:6])
		pids, perr := parsePIDs(args[6])
		if err := errors.Join(err, perr); err != nil {
			return err
		}
		return download{addr: args[1], path: args[2], ranges: args[3], conns: n[0], times: n[1], pids: pids}.run(stdout)
	case "list 5":
		n, err := atois(args[4:5])
		pids, perr := parsePIDs(args[5])
		if err := errors.Join(err, perr); err != nil {
			return err
		}
		return listing{addr: args[1], path: args[2], accept: args[3], times: n[0], pids: pids}.run(stdout)
	case "stream 5", "stream-check 5":
		n, err := atois(args[2:5])
		pids, perr := parsePIDs(args[5])
		if err := errors.Join(err, perr); err != nil {
			return err
		}
		return stream{
			addr: args[1], conns: n[0], bytes: int64(n[1]), idle: n[2], check: args[0] == "stream-check", pids: pids,
		}.run(stdout)
	case "probe 4":
		n, err := atois(args[3:])
		if err != nil {
			return err
		}
		return probe(stdout, args[1], args[2], int64(n[0]), n[1], probePause)
	case "fetch 5":
		n, err := atois(args[2:])
		if err != nil {
			return err
		}
		return fetch{
			url: args[1], bytes: int64(n[0]), conns: n[1], rangeBytes: int64(n[2]),
			max: time.Duration(n[3]) * time.Millisecond,
		}.run(ctx, stdout)
	case "delay 4":
		n, err := atois(args[3:])
		if err != nil {
			return err
		}
		return delayed{to: args[2], oneWay: time.Duration(n[0]) * time.Microsecond, window: n[1]}.run(args[1])
	case "slow 5":
		n, err := atois(args[4:])
		if err != nil {
			return err
		}
		return slow{addr: args[1], path: args[2], file: args[3], conns: n[0], finish: n[1]}.run(stdin, stdout)
	}
	return fmt.Errorf("unknown task %q", args)
}

// probePause is the pause between two requests of a probe: 500 requests take as long as two sweeps of
// the slow downloads that run at the same time.
const probePause = 4 * time.Millisecond

func atois(args []string) (all []int, err error) {
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not a number", arg)
		}
		all = append(all, n)
	}
	return all, nil
}
