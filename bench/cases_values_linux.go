package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// tenEvery is the distance between tens in the file of numbers.
const tenEvery = 167

// numbers returns a file of int32 in which every tenEvery-th is 10, and the number of tens.
func (b *bench) numbers(size int64) (*subject, int64, error) {
	size &^= 3
	s, err := b.data.file("numbers", size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(f, 1<<20)
		var word [4]byte
		for i := range uint32(size / 4) {
			value := i*2654435761 | 1<<8 // anything but 10
			if i%tenEvery == 0 {
				value = 10
			}
			binary.LittleEndian.PutUint32(word[:], value)
			if _, err := w.Write(word[:]); err != nil {
				return errors.Join(err, f.Close())
			}
		}
		return errors.Join(w.Flush(), f.Sync(), f.Close())
	})
	return s, (size/4 + tenEvery - 1) / tenEvery, err
}

var equalsTen = []string{"--type", "i32", "--eq", "10"}

// countTens compares with the same kernel on its own memory, and with the published loop.
func countTens(ctx context.Context, b *bench, name string) error {
	file, n, err := b.numbers(b.size)
	if err != nil {
		return err
	}
	defer file.Close()
	bytes, err := memoryToScan(b.size)
	if err != nil {
		return err
	}
	memory := b.child("own memory", "", "memory-tens", fmt.Sprint(bytes), strconv.Itoa(b.workers))
	memory.answer = func(string) (string, error) { return "", nil } // the child process checks it
	memory.rate = func(o outcome) (float64, error) { return parseMemory(o.stdout) }
	memory.target = atLeast(0.9)
	memory.note = fmt.Sprintf("the same kernel on %d MiB in huge pages, timed by itself", bytes>>20)
	unrolled := b.child("tens/unrolled", fmt.Sprint(n), "tens", "unrolled", file.Name, strconv.Itoa(b.workers))
	unrolled.target = atLeast(1.5)
	thresh := b.count(n, append(equalsTen, "--receipt=json", file.Name)...)
	thresh.rate = func(o outcome) (float64, error) {
		r, err := parseReceipt(o.stderr)
		return float64(r.Bytes+r.Skipped) / r.Seconds, err
	}
	if err := b.compare(ctx, name, warmState(file), b.size, thresh, memory); err != nil {
		return err
	}
	return b.compare(ctx, name, warmState(file), b.size, b.count(n, append(equalsTen, file.Name)...), unrolled)
}

// countCold compares with direct reads by fio, with all workers and with one.
func countCold(ctx context.Context, b *bench, name string) error {
	size := 2 * b.size
	file, n, err := b.numbers(size)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.cold(); err != nil {
		return err
	}
	best, err := b.fiosBest(ctx, file)
	if err != nil {
		return err
	}
	all := b.count(n, append(equalsTen, file.Name)...)
	one := b.count(n, append(equalsTen, "--engine", "uring", "--workers", "1", file.Name)...)
	peer := fio(file, best)
	peer.target = atLeast(0.95)
	rates, err := b.measure(ctx, coldState(file), size, []contender{all, one, peer})
	if err != nil {
		return err
	}
	for i, side := range []contender{all, one} {
		wall, err := b.wall(ctx, coldState(file), side)
		if err != nil {
			return err
		}
		b.add(row{
			Case: name, Peer: peer.name, What: timesItsRate, Target: peer.target, Wall: wall,
			Note:       []string{"all workers; ", "--engine uring --workers 1; "}[i] + peer.note,
			Number:     summarize(ratios(rates[i], rates[2])),
			ThreshRate: medianGB(rates[i]), PeerRate: medianGB(rates[2]),
		})
	}
	return nil
}
