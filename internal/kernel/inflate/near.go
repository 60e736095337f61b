package inflate

// vectorBytes is the size of the vectors in which assembly copies a match.
const vectorBytes = 16

// near repeats the bytes of matches that are less than a vector away from their source.
type near struct {
	index  [vectorBytes][vectorBytes]uint8 // by distance: which bytes of the source make a vector
	stride [vectorBytes]uint8              // how far the next vector lies: at a multiple of the distance
}

var nearTable = makeNear()

func makeNear() (t near) {
	for distance := 1; distance < vectorBytes; distance++ {
		for i := range vectorBytes {
			t.index[distance][i] = uint8(i % distance)
		}
		t.stride[distance] = uint8(vectorBytes - vectorBytes%distance)
	}
	return t
}
