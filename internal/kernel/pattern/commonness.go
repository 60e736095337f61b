package pattern

// Commonness ranks a byte by how often it stands in most data, 0 being the rarest.
func Commonness(b byte) uint8 { return ranks[b] }
