//go:build !amd64 && !arm64

package fields

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

func vectorVariants() []kernel.Variant[Func] { return nil }

// pairsAVX512 leaves all records to betweens.
func pairsAVX512(*Chunk, uint, records.Column) int { return 0 }

// pairEndsAVX512 leaves all records to equal.
func pairEndsAVX512(*Chunk, uint, []uint32) int { return 0 }
