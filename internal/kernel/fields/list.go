//go:build goexperiment.simd && (amd64 || arm64)

package fields

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// listEights lists the separators of the first words. For each eight bytes it writes eight places,
// of which only as many as there are separators count. There is always room: the list is no longer
// than the text before.
func listEights(c *Chunk, _ *byte, words int) {
	low, step := archsimd.BroadcastUint16x8(0), archsimd.BroadcastUint16x8(8)
	before := uint32(0)
	for word := range c.Delims[:words] {
		separators := c.Delims[word] | c.Feeds[word]
		c.Before[word] = before
		p := unsafe.Pointer(&c.places[before%ChunkBytes])
		before += uint32(bits.OnesCount64(separators))
		for range 4 {
			first, second := uint8(separators), uint8(separators>>8)
			separators >>= 16
			archsimd.LoadUint16x8Array(&members[first]).Add(low).StoreArray((*[8]uint16)(p))
			p, low = unsafe.Add(p, sizes[first]), low.Add(step)
			archsimd.LoadUint16x8Array(&members[second]).Add(low).StoreArray((*[8]uint16)(p))
			p, low = unsafe.Add(p, sizes[second]), low.Add(step)
		}
	}
	c.Before[words] = before
}
