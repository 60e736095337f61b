package rows

// summarizePlain looks at one byte after the other.
func summarizePlain(b []byte, quote byte) Summary {
	var feeds [2]int64 // outside and inside, as the piece begins outside
	inside := 0
	for _, c := range b {
		switch c {
		case quote:
			inside ^= 1
		case '\n':
			feeds[inside]++
		}
	}
	return Summary{Feeds: feeds[0], FeedsInside: feeds[1], Odd: inside == 1}
}
