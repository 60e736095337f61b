package matrix

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// TestShrunkFiles cuts a file short after it was opened. Each engine must give the right answer for
// what is left, and report the rest: every byte is scanned, skipped or unread.
func TestShrunkFiles(t *testing.T) {
	usable := engines(t)
	cases(t, 200, func(t *testing.T, r *rand.Rand) (err error) {
		s, err := randomSquare(r)
		if err != nil || s.refused != nil {
			return err
		}
		s.kind, s.shape, s.options.Limit, s.options.MemoryBytes = "file", "cut short", 0, 0
		s.data = shapes["only parts"](r, s.parts, 5000+r.IntN(60_000), 64)
		if s.options.Engine = pick(r, engineNames[1:]...); !usable[s.options.Engine] {
			return nil
		}
		s.options.Offset, s.options.Length = 0, nil
		s.options.ChunkBytes = pick(r, 0, 4096, 1+r.IntN(9000))
		left := r.IntN(len(s.data))
		in := kinds["file"].open(t, r, s.data)
		defer func() { err = errors.Join(err, in.end()) }()
		if err := os.Truncate(in.name, int64(left)); err != nil {
			return err
		}
		hits, report, err := s.ask(in.Input)
		if err == nil && !tooManyOpen(&report) {
			err = s.judgePart(hits, &report, left)
		}
		if err != nil {
			return fmt.Errorf("%v\ncut to %d: %w", &s, left, err)
		}
		return nil
	})
}

// judgePart compares an answer with that for the first bytes of the input.
func (s *square) judgePart(hits []answer.Hit, report *answer.Report, left int) error {
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
func damage(t *testing.T, r *rand.Rand, data []byte) (name string, compressed []byte) {
	t.Helper()
	switch r.IntN(3) {
	case 0:
		name, compressed = "input.gz", gzipped(t, r, data)
	case 1:
		name, compressed = "input.gz", bgzf(t, r, data)
	default:
		name, compressed = "input.zst", zstandard(t, r, data)
	}
	at := 20 + r.IntN(max(1, len(compressed)-20))
	if chance(r, 2) {
		return name, compressed[:min(at, len(compressed)-1)]
	}
	compressed = slices.Clone(compressed)
	for range 3 {
		compressed[min(at, len(compressed)-1)] ^= byte(1 + r.IntN(255))
	}
	return name, compressed
}

// TestDamagedFiles reads damaged compressed files. The answer must be the one for the content before
// the damage, and the report must name the damage. The answer is complete only if the damage did not
// change the content.
func TestDamagedFiles(t *testing.T) {
	cases(t, 75, func(t *testing.T, r *rand.Rand) error {
		data := lines(r, []string{"a,1", "b,2", "needle"}, 1+r.IntN(40_000), []int{0, 5, 60}, "\n")
		if len(data) < 50 {
			return nil
		}
		s, err := randomSquare(r)
		if err != nil || s.refused != nil {
			return err
		}
		base, compressed := damage(t, r, data)
		name := write(t, base, compressed)
		defer os.Remove(name)
		in, err := thresh.Open(name)
		var format *failure.FormatError
		if errors.As(err, &format) {
			return nil // Open rejects it
		} else if err != nil {
			return err
		}
		report, err := thresh.Count(context.Background(), in, s.query, options.Scan{Run: options.Run{Workers: s.options.Workers, ChunkBytes: s.options.ChunkBytes}})
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
		if tooManyOpen(&report) {
			return nil // as in TestFindAndCount
		}
		if report.Complete {
			if len(report.Unread) > 0 || report.Bytes > int64(len(data)) || report.Bytes < int64(len(data)) && harmed(name, compressed) {
				return fmt.Errorf("%s in %s: complete, with %d of %d bytes and %v", s.name, base, report.Bytes, len(data), report.Unread)
			}
			return s.check(data[:report.Bytes], &report)
		}
		if len(report.Unread) != 1 || report.Unread[0].Off != report.Bytes {
			return fmt.Errorf("%s in %s: %d bytes read, but unread is %v", s.name, base, report.Bytes, report.Unread)
		}
		if report.Bytes > int64(len(data)) || !sound(name, data[:report.Bytes]) {
			return nil // the damage has changed the decompressed bytes
		}
		if err := s.check(data[:report.Bytes], &report); err != nil {
			return fmt.Errorf("%s in the first %d bytes of %s: %w", s.name, report.Bytes, base, err)
		}
		return nil
	})
}

// harmed reports whether an independent decompressor rejects a file too. A file that was cut at the
// end of a member or frame is valid, and no decompressor can know that more followed.
func harmed(name string, compressed []byte) bool {
	var err error
	if strings.HasSuffix(name, ".gz") {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(compressed)); err == nil {
			_, err = io.Copy(io.Discard, r)
		}
	} else {
		_, err = decoder.DecodeAll(compressed, nil)
	}
	return err != nil
}

var decoder = func() *zstd.Decoder {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return r
}()

// sound reports whether a file's decompressed content begins with data: flipped bits may have
// changed it.
func sound(name string, data []byte) bool {
	in, err := thresh.Open(name)
	if err != nil {
		return false
	}
	defer in.Close()
	b := make([]byte, len(data))
	n, _ := in.ReadAt(b, 0) // unreadable bytes are not compared
	return n == len(data) && bytes.Equal(b, data)
}

// TestDamagedTables reads damaged compressed tables. The answer must count the records that end
// before the damage and be incomplete. A record that is cut off is not malformed.
func TestDamagedTables(t *testing.T) {
	cases(t, 200, func(t *testing.T, r *rand.Rand) error {
		var data []byte
		for i := range 20 + r.IntN(3000) {
			data = fmt.Appendf(data, "k%d,%d,\"text\n%d\"\n", i%7, r.IntN(1000), i)
		}
		base, compressed := damage(t, r, data)
		if !harmed(base, compressed) {
			return nil
		}
		name := write(t, base, compressed)
		defer os.Remove(name)
		o := options.Scan{Run: options.Run{Workers: pick(r, 0, 1, 2, 5), ChunkBytes: pick(r, 0, 0, 4096, 100+r.IntN(1000))}}
		list := func(yield func(string, error) bool) { yield(name, nil) }
		spec := thresh.TableSpec{Dialect: options.Dialect{Delim: ',', Quote: '"'}, Malformed: options.Malformed(r.IntN(3)),
			Questions: []thresh.Question{thresh.RecordCount{}, thresh.Groups{Aggregates: "sum(2)"}}}
		var got sheetOutput
		report, err := thresh.TableAll(context.Background(), list, spec, o,
			thresh.Callbacks{Done: func(_ string, _ answer.Report, err error) error { return err }}, &got)
		var format *failure.FormatError
		if errors.As(err, &format) || !sound(name, data[:min(report.Bytes, int64(len(data)))]) {
			return nil
		}
		if err != nil || report.Complete || len(report.Unread) != 1 || report.Unread[0].Off > report.Bytes {
			return fmt.Errorf("%s, %+v, mode %d: error %v; complete: %v, %d bytes, unread %v",
				base, o, spec.Malformed, err, report.Complete, report.Bytes, report.Unread)
		}
		records, sum := recordsIn(data[:report.Unread[0].Off])
		if len(got.rows) == 0 && records == 0 {
			return nil
		}
		return errors.Join(same("records", report.Records, records), got.same(0, [][]cell{{whole(int(records))}}),
			got.same(1, [][]cell{{{number: new(big.Rat).SetInt64(sum), null: records == 0}}}))
	})
}

// recordsIn returns how many records of two lines end in data, and the sum of their second column.
func recordsIn(data []byte) (records, sum int64) {
	for {
		end := bytes.Index(data, []byte("\"\n"))
		if end < 0 {
			return records, sum
		}
		var n int64
		_, rest, _ := bytes.Cut(data, []byte(","))
		for _, digit := range rest[:bytes.IndexByte(rest, ',')] {
			n = 10*n + int64(digit-'0')
		}
		records, sum, data = records+1, sum+n, data[end+2:]
	}
}
