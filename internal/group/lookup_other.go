//go:build !goexperiment.simd || !amd64

package group

import "github.com/thresh-dev/thresh/internal/records"

func hasVectors() bool { return false }

func (t *Table) sendAES(text []byte, keys *[records.Max]records.Span, sel records.Selection) uint64 {
	return t.sendPlain(text, keys, sel)
}

func (t *Table) compareAES(ids []uint32) uint64 { return t.comparePlain(ids) }
