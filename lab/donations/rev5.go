package donations

import "sync"

// Rev5 is the article's sixth program: like Rev4, and months and first names are counted where the
// lists are filled, while the mutex is held. The article reports 8.8 seconds, 1.17 times as fast as Rev4,
// and 17,216 MiB of allocated memory.
//
// Kept: the lists, although nothing reads them any more.
func Rev5(path string) (Answer, error) {
	var (
		l  lists
		c  = newCounts()
		mu sync.Mutex
	)
	parse := newParser(capturedFirstName)
	err := eachChunk(path, newLines, func(chunk int, lines []string) error {
		entries, err := parseAll(make([]entry, 0, len(lines)), lines, parse)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, e := range entries {
			l.append(e)
			c.count(e)
		}
		l.keepRows(chunk*chunkLines, entries)
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return c.result(int64(len(l.names)), l.answer.Names), nil
}
