package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// netChild does the work of a server or of a client, one of
//
//	fileserver ADDR FOLDER [LOG]            serves files by net/http; with LOG behind a middleware
//	upstream ADDR                           sends as many bytes as it is asked for
//	copyrelay ADDR TO                       passes connections on by a loop of 32 KiB
//	download ADDR PATH RANGES CONNS TIMES PIDS
//	                                        downloads over many connections; prints work
//	stream ADDR CONNS BYTES IDLE PIDS       takes bytes through a relay; prints work
//	stream-check ADDR CONNS BYTES IDLE PIDS the same, and compares them
//	probe ADDR PATH BYTES COUNT             small requests, one after another; prints latency
//	slow ADDR PATH FILE CONNS FINISH        many slow downloads, until standard input ends
//
// PIDS are the processes, divided by commas, whose processor time counts.
func netChild(args []string, stdin io.Reader, stdout io.Writer) error {
	ctx := context.Background() // a server ends by a signal
	if len(args) == 0 {
		return errors.New("no work")
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
	case "slow 5":
		n, err := atois(args[4:])
		if err != nil {
			return err
		}
		return slow{addr: args[1], path: args[2], file: args[3], conns: n[0], finish: n[1]}.run(stdin, stdout)
	}
	return fmt.Errorf("unknown work %q", args)
}

// probePause is between two requests of a probe: 200 of them take as long as a sweep of
// the slow downloads beside them.
const probePause = 5 * time.Millisecond

func atois(args []string) (all []int, err error) {
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("number %q", arg)
		}
		all = append(all, n)
	}
	return all, nil
}
