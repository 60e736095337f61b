//go:build !goexperiment.simd || !amd64

package fields

import "github.com/thresh-dev/thresh/internal/records"

// pairsAVX512 leaves all records to betweens.
func (c *Chunk) pairsAVX512(uint, records.Column) int { return 0 }
