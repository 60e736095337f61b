package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/options"
)

// Partial is the result of some cells.
type Partial struct {
	Question int // its number in the job
	Cells    int64
	Bytes    int64 // of the cells: read, or skipped because the answer was known
	Inputs   map[int]*InputPartial
	Tables   []*table.Part
}

// InputPartial is the result of some cells of one input.
type InputPartial struct {
	Counts  []*count.Partial
	Scanned int64 // bytes of a whole input, decompressed
}

func (p *Partial) input(i int) *InputPartial {
	if p.Inputs == nil {
		p.Inputs = map[int]*InputPartial{}
	}
	if p.Inputs[i] == nil {
		p.Inputs[i] = new(InputPartial)
	}
	return p.Inputs[i]
}

func (p *Partial) encode() ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(p); err != nil {
		return nil, fmt.Errorf("encode a partial result: %w", err)
	}
	return binary.LittleEndian.AppendUint32(b.Bytes(), crc32.Checksum(b.Bytes(), checksums)), nil
}

// checksums is the table of the CRC-32C that ends an encoding: damaged counts may decode without an error.
var checksums = crc32.MakeTable(crc32.Castagnoli)

func decodePartial(b []byte) (*Partial, error) {
	n := len(b) - 4
	if n < 0 || crc32.Checksum(b[:n], checksums) != binary.LittleEndian.Uint32(b[n:]) {
		return nil, errors.New("a partial result is damaged")
	}
	b = b[:n]
	p := new(Partial)
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(p); err != nil {
		return nil, fmt.Errorf("decode a partial result: %w", err)
	}
	return p, nil
}

// merger merges partial results.
type merger struct {
	question *Question
	head     run.TableHead
	query    *run.Query // of Count
}

func newMerger(q *Question, head run.TableHead) (*merger, error) {
	m := &merger{question: q, head: head}
	var err error
	if q.Verb == Count {
		m.query, err = q.Asked.Query()
	}
	return m, err
}

// merge adds a partial result to another one.
func (m *merger) merge(into, from *Partial) (err error) {
	into.Cells += from.Cells
	into.Bytes += from.Bytes
	for i, f := range from.Inputs {
		t := into.input(i)
		t.Scanned += f.Scanned
		if len(f.Counts) == 0 {
			continue
		}
		t.Counts = slices.Concat(t.Counts, f.Counts)
		if m.question.Summaries {
			continue
		}
		if t.Counts, err = m.query.Join(t.Counts); err != nil {
			return err
		}
	}
	into.Tables = append(into.Tables, from.Tables...)
	return nil
}

// compact turns several parts of a table into one.
func (m *merger) compact(ctx context.Context, p *Partial) error {
	if len(p.Tables) < 2 {
		return nil
	}
	merged, err := m.head.MergeTable(ctx, m.question.Spec.query(), p.Tables,
		run.Options{Run: options.Run{MemoryBytes: mergeBytes}})
	if err != nil {
		return err
	}
	p.Tables = []*table.Part{merged}
	return nil
}

// mergeBytes bounds the memory for groups while parts of tables are merged; more go to temporary files.
const mergeBytes = 512 << 20

// withoutMark removes a byte-order mark.
func withoutMark(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

func sortCounts(all []*count.Partial) {
	slices.SortFunc(all, func(a, b *count.Partial) int { return cmp.Compare(a.Off, b.Off) })
}

// decodeHits decodes the hits of a cell that begins at off.
func decodeHits(b []byte, off int64) (hits []answer.Hit, err error) {
	for len(b) > 0 {
		at, n := binary.Varint(b)
		length, m := binary.Varint(b[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, errors.New("the hits are damaged")
		}
		hits, b = append(hits, answer.Hit{Off: off + at, Len: length}), b[n+m:]
	}
	return hits, nil
}
