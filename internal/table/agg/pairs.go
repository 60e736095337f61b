package agg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/value"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// pairs counts pairs of a group's key and a text that belongs to the group. The pairs are groups
// themselves, in a table of their own, whose key consists of both texts. So there may be any
// number of pairs, and merging yields them in the order of the groups' keys.
type pairs struct {
	options group.Options
	parts   int          // number of parts of the groups' keys
	table   *group.Table // nil until the first pair
	text    []byte       // the keys of the current batch
	spans   records.Column
	sel     records.Selection
	ids     []uint32
	rows    joinedRows // if a pair has the texts of several columns
}

// paired is an object that needs pairs.
type paired interface {
	object
	// pairing returns the weight of the table of pairs when memory is divided, and whether the pairs may come in any
	// order.
	pairing() (weight int64, anyOrder bool)
	// settle stores what the pairs of all workers say of the groups in the words of g.
	settle(ctx context.Context, g *Groups, all []*pairs, workers int) error
}

func newPairs(o group.Options, parts int) *pairs {
	o.Layout = group.Layout{Words: 1, Init: []uint64{0}, Merge: func(into, from []uint64) { into[0] += from[0] }}
	return &pairs{options: o, parts: parts, spans: make(records.Column, records.Max),
		sel: make(records.Selection, 0, records.Max), ids: make([]uint32, records.Max)}
}

// begin begins a batch.
func (p *pairs) begin() { p.text, p.sel = p.text[:0], p.sel[:0] }

// put adds the pair of a record to the batch.
func (p *pairs) put(i uint16, key, text []byte) {
	from := len(p.text)
	switch p.parts {
	case 0:
	case 1:
		p.text = value.AppendPart(p.text, key)
	default:
		p.text = append(p.text, key...) // its parts have ended
	}
	p.text = append(p.text, text...)
	p.spans[i] = records.Span{Off: uint32(from), Len: uint32(len(p.text) - from)}
	p.sel = append(p.sel, i)
}

// join makes the pairs of the batch, whose texts are short. It returns false if a key of one part has a zero byte.
func (p *pairs) join(text []byte, keys, column records.Column) (ok bool) {
	columns := []records.Column{keys, column}
	room, _ := batch.JoinBytes(columns, p.sel)
	p.text = slices.Grow(p.text, room)
	ended := 0 // a key of more parts has been joined before
	if p.parts == 1 {
		ended = 1
	}
	p.text, ok = batch.Join(p.text, text, columns, ended, 0, p.sel, p.spans)
	return ok
}

// end counts the pairs of the batch.
func (p *pairs) end() error {
	p.text = slices.Grow(p.text, records.SlackBytes)
	return p.count(p.text, p.spans, p.sel)
}

func (p *pairs) count(text []byte, keys records.Column, sel records.Selection) (err error) {
	if len(sel) == 0 {
		return nil
	}
	if p.table == nil {
		if p.table, err = group.New(p.options); err != nil {
			return err
		}
	}
	if err := p.table.Enter(text, keys, sel, p.ids); err != nil {
		return err
	}
	words := p.table.States()
	for _, id := range p.ids[:len(sel)] {
		words[id]++
	}
	return p.table.Leave(text, keys, sel)
}

func (p *pairs) close() error {
	if p.table == nil {
		return nil
	}
	return p.table.Close()
}

// textMax is the longest text that is kept as it is. A longer text is replaced by its SHA-256,
// padded with zeros to digestBytes; no text that is kept is that long. No two texts with the
// same SHA-256 are known.
var textMax = threshold.New("table: distinct text kept as it is", digestBytes-1, sha256.Size)

const digestBytes = 65

func appendDigest(b, text []byte) []byte {
	digest := sha256.Sum256(text)
	b = append(b, digest[:]...)
	return append(b, make([]byte, digestBytes-len(digest))...)
}

// addWhole adds the texts of a column that are not null, whatever their length.
func (p *pairs) addWhole(b *batch.Batch, at, column records.Column, sel records.Selection) error {
	p.begin()
	for _, i := range sel {
		if s := column[i]; s.Len > 0 || !b.IsNull(s) {
			p.put(i, at[i].Of(b.Text), s.Of(b.Text))
		}
	}
	return p.end()
}

// addTexts adds the texts of a column that are not null. It replaces long ones by their digest.
func (p *pairs) addTexts(b *batch.Batch, at, column records.Column, sel records.Selection) error {
	text := b.Text
	p.begin()
	textMax := textMax.Get()
	longest := uint32(0)
	for _, i := range sel {
		if s := column[i]; s.Len > 0 || !b.IsNull(s) {
			longest = max(longest, s.Len)
			p.sel = append(p.sel, i)
		}
	}
	if int(longest) <= textMax {
		if p.parts == 0 {
			return p.count(text, column, p.sel)
		}
		if p.join(text, at, column) {
			return p.end()
		}
	}
	sel = p.sel
	p.begin()
	var room [digestBytes]byte
	for _, i := range sel { // put appends no record before it is read here
		field := column[i].Of(text)
		if len(field) > textMax {
			field = appendDigest(room[:0], field)
		}
		p.put(i, at[i].Of(text), field)
	}
	return p.end()
}

// cut splits a pair into the group's key and the text.
func (p *pairs) cut(pair []byte) (key, text []byte) {
	at := 0
	for range p.parts {
		for ; pair[at] != 0 || pair[at+1] != 0; at++ {
			if pair[at] == 0 {
				at++
			}
		}
		at += 2
	}
	return pair[:at], pair[at:]
}

// eachGroup visits the pairs of all workers, each pair once, in the order of the groups' keys.
// After the last pair of a group, it calls ended with the group's key.
func eachGroup(ctx context.Context, all []*pairs, workers int, visit func(text []byte, count uint64) error,
	ended func(key []byte) error) error {
	tables := tablesOf(all)
	if len(tables) == 0 {
		return nil
	}
	p := all[0]
	var now []byte
	begun := false
	end := func() error {
		if !begun {
			return nil
		}
		key := now
		if p.parts == 1 {
			_, key, _ = value.CutPart(now, nil)
		}
		return ended(key)
	}
	err := group.Merge(ctx, tables, workers, func(pair []byte, words []uint64, _ group.ObjectStore) error {
		if !begun || !bytes.HasPrefix(pair, now) {
			if err := end(); err != nil {
				return err
			}
			key, _ := p.cut(pair)
			now, begun = append(now[:0], key...), true
		}
		return visit(pair[len(now):], words[0])
	})
	if err != nil {
		return err
	}
	if err := end(); err != nil {
		return err
	}
	return closeTables(tables)
}

func tablesOf(all []*pairs) (tables []*group.Table) {
	for _, p := range all {
		if p.table != nil {
			tables = append(tables, p.table)
		}
	}
	return tables
}

// closeTables frees the memory of tables for the next steps.
func closeTables(tables []*group.Table) error {
	for _, t := range tables {
		if err := t.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Settle stores what the pairs say of the groups of all workers in the groups' words, before the groups are merged.
func Settle(ctx context.Context, workers []*Groups, goroutines int) error {
	if len(workers) == 0 {
		return nil
	}
	for i, o := range workers[0].objects {
		var all []*pairs
		for _, g := range workers {
			if g.pairs[i] != nil {
				all = append(all, g.pairs[i])
			}
		}
		if len(all) == 0 {
			continue
		}
		if err := o.(paired).settle(ctx, workers[0], all, goroutines); err != nil {
			return err
		}
	}
	return nil
}
