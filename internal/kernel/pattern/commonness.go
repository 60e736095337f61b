package pattern

// Commonness ranks a byte by how common it is in most data; 0 is the rarest.
func Commonness(b byte) uint8 { return ranks[b] }
