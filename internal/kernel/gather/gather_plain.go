package gather

// gatherPlain copies value by value.
func gatherPlain(to, b []byte, width, stride int) {
	for at := 0; len(to) > 0; at += stride {
		copy(to[:width], b[at:])
		to = to[width:]
	}
}
