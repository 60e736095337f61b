package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/plan"
)

// TestShrunkFiles: of a file that was cut short after it was opened, what is left is answered
// for, by each engine, and what is missing is named: every byte is scanned, skipped or unread.
func TestShrunkFiles(t *testing.T) {
	usable := engines(t)
	cases(t, 400, func(t *testing.T, r *rand.Rand) (err error) {
		s, err := randomSquare(r)
		if err != nil || s.refused != nil {
			return err
		}
		s.kind, s.shape, s.options.Limit, s.options.Memory = "file", "cut short", 0, 0
		s.data = shapes["only parts"](r, s.parts, 5000+r.IntN(60_000), 64)
		if s.options.Engine = pick(r, plan.Pread, plan.Mmap, plan.Uring, plan.Stream); !usable[s.options.Engine] {
			return nil
		}
		s.options.Offset, s.options.Length = 0, nil
		s.options.Chunk = pick(r, 0, 4096, 1+r.IntN(9000))
		left := r.IntN(len(s.data))
		in := kinds["file"].open(t, r, s.data)
		defer func() { err = errors.Join(err, in.end()) }()
		if err := os.Truncate(in.name, int64(left)); err != nil {
			return err
		}
		var hits []thresh.Hit
		var report thresh.Report
		if s.find {
			report, err = thresh.Find(context.Background(), in.Input, s.query, s.options, func(more []thresh.Hit) error {
				hits = append(hits, more...)
				return nil
			})
		} else {
			report, err = thresh.Count(context.Background(), in.Input, s.query, s.options)
		}
		if err == nil {
			err = s.judgePart(hits, &report, left)
		}
		if err != nil {
			return fmt.Errorf("%v\ncut to %d: %w", &s, left, err)
		}
		return nil
	})
}

// judgePart compares an answer with that for the first bytes of the input.
func (s *square) judgePart(hits []thresh.Hit, report *thresh.Report, left int) error {
	unread := int64(0)
	for _, u := range report.Unread {
		unread += u.Len
		if u.Off < int64(left) {
			return fmt.Errorf("%d bytes at %d are said to be unread", u.Len, u.Off)
		}
	}
	err := errors.Join(same("complete", report.Complete, false),
		same("bytes scanned, skipped and unread", report.Bytes+report.Skipped+unread, int64(len(s.data))))
	if s.find {
		return errors.Join(err, sameHits(hits, s.places(s.data[:left])))
	}
	return errors.Join(err, s.check(s.data[:left], report))
}

// damage is a compressed file with something wrong in it.
func damage(t *testing.T, r *rand.Rand, data []byte) (name string, packed []byte) {
	t.Helper()
	switch r.IntN(3) {
	case 0:
		name, packed = "input.gz", gzipped(t, r, data)
	case 1:
		name, packed = "input.gz", bgzf(t, r, data)
	default:
		name, packed = "input.zst", zstandard(t, r, data)
	}
	at := 20 + r.IntN(max(1, len(packed)-20))
	if chance(r, 2) {
		return name, packed[:min(at, len(packed)-1)]
	}
	packed = slices.Clone(packed)
	for range 3 {
		packed[min(at, len(packed)-1)] ^= byte(1 + r.IntN(255))
	}
	return name, packed
}

// TestDamagedFiles: of a compressed file that is damaged, the answer is that for what comes
// before the damage, which is named, and the same for each question. It is never complete,
// unless the damage changed nothing of the content.
func TestDamagedFiles(t *testing.T) {
	cases(t, 600, func(t *testing.T, r *rand.Rand) error {
		data := lines(r, []string{"a,1", "b,2", "needle"}, 1+r.IntN(40_000), []int{0, 5, 60}, "\n")
		if len(data) < 50 {
			return nil
		}
		s, err := randomSquare(r)
		if err != nil || s.refused != nil {
			return err
		}
		base, packed := damage(t, r, data)
		name := write(t, base, packed)
		defer os.Remove(name)
		in, err := thresh.Open(name)
		var format *thresh.FormatError
		if errors.As(err, &format) {
			return nil // it is refused from the start
		} else if err != nil {
			return err
		}
		report, err := thresh.Count(context.Background(), in, s.query, thresh.Options{Workers: s.options.Workers, Chunk: s.options.Chunk})
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
		if report.Complete {
			if len(report.Unread) > 0 || report.Bytes != int64(len(data)) {
				return fmt.Errorf("%s in %s: complete, with %d of %d bytes and %v", s.name, base, report.Bytes, len(data), report.Unread)
			}
			return s.check(data, &report)
		}
		if len(report.Unread) != 1 || report.Unread[0].Off != report.Bytes {
			return fmt.Errorf("%s in %s: %d bytes read, but unread is %v", s.name, base, report.Bytes, report.Unread)
		}
		if report.Bytes > int64(len(data)) || !sound(name, data[:report.Bytes]) {
			return nil // what was unpacked of it is something else already
		}
		if err := s.check(data[:report.Bytes], &report); err != nil {
			return fmt.Errorf("%s in the first %d bytes of %s: %w", s.name, report.Bytes, base, err)
		}
		return damagedTable(name, data[:report.Bytes], report.Bytes)
	})
}

// sound reports whether what is unpacked of a file begins so: flipped bits may have changed it.
func sound(name string, data []byte) bool {
	in, err := thresh.Open(name)
	if err != nil {
		return false
	}
	defer in.Close()
	b := make([]byte, len(data))
	n, _ := in.ReadAt(b, 0) // what cannot be read is not compared
	return n == len(data) && bytes.Equal(b, data)
}

// damagedTable asks for the records of a table that breaks off: those that ended before.
func damagedTable(name string, data []byte, read int64) error {
	list := func(yield func(string, error) bool) { yield(name, nil) }
	spec := thresh.TableSpec{Dialect: thresh.Dialect{Delim: '\x01'}, Questions: []thresh.Question{{Kind: thresh.TableRows}}}
	var got sheetOutput
	report, err := thresh.Table(context.Background(), list, spec, thresh.Options{},
		thresh.Visitor{Done: func(_ string, _ thresh.Report, err error) error { return err }}, &got)
	if err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if report.Complete || len(report.Unread) != 1 || report.Bytes != read {
		return fmt.Errorf("table: complete: %v, unread: %v, %d bytes, where count reads %d", report.Complete, report.Unread, report.Bytes, read)
	}
	rows := int64(strings.Count(string(data), "\n"))
	if n := report.Records + report.Empty; n != rows && n != rows+1 {
		return fmt.Errorf("table: %d records and %d empty lines, where %d lines ended before the damage", report.Records, report.Empty, rows)
	}
	return nil
}
