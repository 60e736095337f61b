package agg

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// others is a part of a file that holds numbers in ascending order, and how often each occurs.
type others struct {
	file     *spill.File
	off, end int64
	n        int64 // how many numbers, including repetitions
}

const othersBytes = 40 // memory of an others

var othersBufferBytes = threshold.New("table: buffer for other numbers", 64<<10, 16)

// appender is an io.Writer that appends to a file.
type appender struct{ file *spill.File }

func (a appender) Write(b []byte) (int, error) {
	if _, err := a.file.Append(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// each visits the numbers in ascending order, until visit returns false.
func (o *others) each(visit func(n decimal.Number, count int64) bool) error {
	r := bufio.NewReaderSize(io.NewSectionReader(o.file, o.off, o.end-o.off), othersBufferBytes.Get())
	var text []byte
	for {
		size, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		var count uint64
		if err == nil {
			count, err = binary.ReadUvarint(r)
		}
		if err == nil && size <= uint64(o.end-o.off) {
			text = append(text[:0], make([]byte, size)...)
			_, err = io.ReadFull(r, text)
		}
		if err != nil {
			return o.file.Failed("read back numbers from", err)
		}
		n, err := decimal.DecodeOrdered(text)
		if err != nil {
			return o.file.Failed("read back numbers from", err)
		}
		if !visit(n, int64(count)) {
			return nil
		}
	}
}

func (o *others) appendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(o.off))
	b = binary.AppendUvarint(b, uint64(o.end))
	return binary.AppendUvarint(b, uint64(o.n))
}

func (o *others) decode(b []byte, file *spill.File) (rest []byte, err error) {
	for _, to := range []*int64{&o.off, &o.end, &o.n} {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errors.New("numbers without their place")
		}
		*to, b = int64(v), b[n:]
	}
	o.file = file
	return b, nil
}

// settle writes all other numbers to a file, group by group.
func (v *numberValues) settle(ctx context.Context, g *Groups, all []*pairs, workers int) (err error) {
	s := g.store
	if s.file == nil {
		if s.file, err = spill.New(g.tempDir, "thresh-numbers-*", "numbers"); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(appender{s.file}, othersBufferBytes.Get())
	part := others{file: s.file, off: s.file.End(), end: s.file.End()}
	own := s.objects[v.at+otherValues].(*otherSlots)
	var head []byte
	err = eachGroup(ctx, all, workers, func(text []byte, count uint64) error {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(len(text))), count)
		part.end += int64(len(head) + len(text))
		part.n += int64(count)
		if _, err := w.Write(head); err != nil {
			return err
		}
		_, err := w.Write(text)
		return err
	}, func(key []byte) error {
		words, err := g.wordsOf(key)
		if err != nil {
			return err
		}
		words[v.at+otherValues] = own.put(part)
		own.settled = len(own.all)
		part.off, part.n = part.end, 0
		return nil
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// otherSlots are the others of a worker, by group.
type otherSlots struct {
	store   *Store
	all     []others
	settled int // all[:settled] are those of groups in memory; copies follow
}

func newOtherSlots(s *Store) objects {
	o := &otherSlots{store: s}
	s.others = append(s.others, o)
	return o
}

func (s *otherSlots) put(o others) (handle uint64) {
	s.all = append(s.all, o)
	return uint64(len(s.all))
}

func (s *otherSlots) mergeFrom(into uint64, from objects, handle uint64) (uint64, error) {
	if into != 0 {
		panic("thresh: bug: other numbers of a group in two places")
	}
	return s.put(from.(*otherSlots).all[handle-1]), nil
}

func (s *otherSlots) appendBinary(handle uint64, b []byte) ([]byte, error) {
	return s.all[handle-1].appendBinary(b), nil
}

func (s *otherSlots) decode(b []byte) (handle uint64, err error) {
	var o others
	rest, err := o.decode(b, s.store.file)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes too many", len(rest))
	}
	return s.put(o), err
}

func (s *otherSlots) export(uint64) ([]byte, error) {
	panic("thresh: bug: a part is exported after its pairs were counted")
}
func (s *otherSlots) add(*uint64, []byte) error { return errPart }
func (s *otherSlots) bytes() int64              { return othersBytes * int64(len(s.all)) }
func (s *otherSlots) reset()                    { s.all, s.settled = s.all[:0], 0 }
