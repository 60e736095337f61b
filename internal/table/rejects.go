package table

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Rejects are the records with a value that is not what a question asked it for, as they are written, each once and in
// their order, whichever passes over the same inputs found them. Workers keep them by their places; what turns out not
// to count when a pass has ended is left out then: records after a limit, and texts that min and max take as texts.
type Rejects struct {
	prelude []byte   // of the first input: all before its first record
	names   []string // in its header
	begun   bool
	all     *order.Sorter // of the passes that have ended; nil if there is none
}

// rejectsBytes is the memory of each worker for records that are kept.
var rejectsBytes = threshold.New("table: bytes of records with values that are not what was asked", 256<<10, 1)

func newRejectsSorter(temp spill.Dir) (*order.Sorter, error) {
	return order.New(order.Options{MemBytes: int64(rejectsBytes.Get()), TempDir: temp})
}

// begin notes how an input begins. All must begin alike, since their records are kept as they are written.
func (r *Rejects) begin(name string, head []byte, first query.First) error {
	if !r.begun {
		r.begun, r.prelude, r.names = true, bytes.Clone(head[:first.Begin]), first.Names
	}
	if !slices.Equal(r.names, first.Names) {
		return &failure.SpecError{Err: fmt.Errorf("SQLOptions.Rejects keeps records as they are written, and the columns of "+
			"%s are %s, not %s: ask about files alike", name, strings.Join(first.Names, ", "), strings.Join(r.names, ", "))}
	}
	return nil
}

// rejecting is the part of a worker. A row of its sorter is the place of a record, the number of the column that counts
// only if the column has numbers, from 1, otherwise 0, and the record.
type rejecting struct {
	*order.Sorter // nil before the first record
	place, row    []byte
	last          []byte // the place of the last record that counts in any case
}

// reject keeps record i of the batch. Number is the number column that has to have numbers, noNumber for none.
func (w *worker) reject(i uint16, number int) {
	s := &w.rejects
	if w.run.options.Rejects == nil || w.only != nil || w.dead {
		return
	}
	if s.place = order.AppendPlace(s.place[:0], w.pass.number, w.At(i)); bytes.Equal(s.place, s.last) {
		return
	}
	if number == noNumber {
		s.last = append(s.last[:0], s.place...)
	}
	var err error
	if s.Sorter == nil {
		s.Sorter, err = newRejectsSorter(w.run.temp)
	}
	if err == nil {
		s.row = binary.AppendUvarint(append(s.row[:0], s.place...), uint64(number+1))
		s.row = append(append(s.row, w.bounds.record(w.Text, i)...), '\n')
		err = s.Add(s.place, s.row)
	}
	if err != nil {
		w.fail(err)
	}
}

const noNumber = -1

// keepRejects adds the records that the workers have kept to those of all passes.
func (r *Run) keepRejects(ctx context.Context) (err error) {
	all := r.options.Rejects
	if all == nil {
		return nil
	}
	var sorters []*order.Sorter
	for _, w := range r.all {
		if w.rejects.Sorter != nil {
			sorters = append(sorters, w.rejects.Sorter)
		}
	}
	if len(sorters) > 0 && all.all == nil {
		if all.all, err = newRejectsSorter(spill.Dir{}); err != nil {
			return err
		}
	}
	var kept []byte
	err = order.Merge(ctx, sorters, 1, func(rows order.Rows) error {
		return rows.Each(func(row []byte) error {
			place, rest := order.CutPlace(row)
			number, n := binary.Uvarint(rest)
			if i := int(number) - 1; r.enough != nil && bytes.Compare(place, r.enough) >= 0 ||
				i != noNumber && !r.skipsTexts(i) {
				return nil
			}
			kept = append(append(kept[:0], place...), rest[n:]...)
			return all.all.Add(place, kept)
		})
	})
	for _, w := range r.all {
		err = errors.Join(err, w.rejects.close())
	}
	return err
}

// skipsTexts reports whether texts in a number column are skipped and counted.
func (r *Run) skipsTexts(number int) bool {
	seen := r.seenOf(number)
	return seen.NeedsNumbers(r.query.Uses[number])
}

func (s *rejecting) close() (err error) {
	if s.Sorter != nil {
		err = s.Close()
	}
	s.Sorter = nil
	return err
}

// Write writes what comes before the first record of the first input, and then the records.
func (r *Rejects) Write(ctx context.Context, to io.Writer) error {
	out := bufio.NewWriter(to)
	if _, err := out.Write(r.prelude); err != nil || r.all == nil {
		return errors.Join(err, out.Flush())
	}
	var last []byte
	err := order.Merge(ctx, []*order.Sorter{r.all}, 1, func(rows order.Rows) error {
		return rows.Each(func(row []byte) error {
			place, record := order.CutPlace(row)
			if bytes.Equal(place, last) {
				return nil
			}
			last = append(last[:0], place...)
			_, err := out.Write(record)
			return err
		})
	})
	return errors.Join(err, out.Flush())
}

// Close frees what it holds. It may be called again.
func (r *Rejects) Close() (err error) {
	if r.all != nil {
		err = r.all.Close()
	}
	r.all = nil
	return err
}
