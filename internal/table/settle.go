package table

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Before the groups are merged, the results of pairs are stored in the groups' words: the number
// of distinct texts, and a handle of the place in a file where the other numbers are, in
// ascending order.

// settle does this for all objects of an answer.
func (a *groupAnswer) settle(ctx context.Context, r *Run) error {
	groupers := r.groupersOf(a)
	if len(groupers) == 0 {
		return nil
	}
	for i := range a.objects {
		var all []*pairs
		for _, g := range groupers {
			if g.pairs[i] != nil {
				all = append(all, g.pairs[i])
			}
		}
		if len(all) == 0 {
			continue
		}
		var err error
		switch o := &a.objects[i]; o.function {
		case distinct:
			err = groupers[0].countTexts(ctx, o, all, r.options.Workers)
		case mode:
			err = groupers[0].commonestTexts(ctx, o, all, r.options.Workers)
		default:
			err = groupers[0].writeOthers(ctx, o, all, r.options.Workers)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commonestTexts keeps the text of each group that occurs most often, the least of several.
func (g *grouper) commonestTexts(ctx context.Context, o *object, all []*pairs, workers int) error {
	most, commonest := uint64(0), []byte(nil)
	return eachGroup(ctx, all, workers, func(text []byte, count uint64) error {
		if count > most { // texts come in ascending order
			most, commonest = count, append(commonest[:0], text...)
		}
		return nil
	}, func(key []byte) error {
		words, err := g.wordsOf(key)
		if err == nil {
			g.store.changeTexts(&words[o.at.first], func(k *keptTexts) { k.first = placed{text: bytes.Clone(commonest)} })
			most = 0
		}
		return err
	})
}

// wordsOf returns the words of a group in the grouper's own table. It makes the group if needed.
func (g *grouper) wordsOf(key []byte) ([]uint64, error) {
	g.joined = append(g.joined[:0], key...)
	g.spans[0] = records.Span{Len: uint32(len(key))}
	if err := g.table.Lookup(g.joined, g.spans, records.Selection{0}, g.ids); err != nil {
		return nil, err
	}
	return g.table.States()[g.ids[0]:], nil
}

// others is a part of a file that holds numbers in ascending order, and how often each occurs.
type others struct {
	file     *spill.File
	off, end int64
	n        int64 // how many numbers, including repetitions
}

const othersBytes = 40 // memory of an others

// writeOthers writes all other numbers to a file, group by group.
func (g *grouper) writeOthers(ctx context.Context, o *object, all []*pairs, workers int) (err error) {
	s := g.store
	if s.file == nil {
		if s.file, err = spill.New(g.tempDir, "thresh-numbers-*", "numbers"); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(appender{s.file}, othersBufferBytes.Get())
	part := others{file: s.file, off: s.file.End(), end: s.file.End()}
	var head []byte
	return errors.Join(eachGroup(ctx, all, workers, func(text []byte, count uint64) error {
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
		s.others = append(s.others, part)
		s.settled = len(s.others)
		s.bytes += othersBytes
		words[o.at.others] = uint64(len(s.others))
		part.off, part.n = part.end, 0
		return nil
	}), w.Flush())
}

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
		count, err2 := binary.ReadUvarint(r)
		if err = errors.Join(err, err2); err == nil && size <= uint64(o.end-o.off) {
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
