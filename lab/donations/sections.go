package donations

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// Sections answers exercise 1: what happens if two goroutines read the file, each through an
// io.SectionReader. It is Rev9 with two readers, one from the beginning to the first line that begins in
// the second half, the other from there to the end. They use the same pools, maps and mutex.
//
// In the page cache, or on a solid-state disk, two readers are up to twice as fast, as long as there are
// processors for them. A spinning disk has to move between the two places, and gets slower.
func Sections(path string) (Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return Answer{}, err
	}
	middle, err := lineAfter(f, info.Size()/2)
	if err != nil {
		return Answer{}, fmt.Errorf("read %s: %w", path, err)
	}
	var (
		r        = newRev9()
		sections = [2]*io.SectionReader{
			io.NewSectionReader(f, 0, middle),
			io.NewSectionReader(f, middle, info.Size()-middle),
		}
		lines [2]int64
		names [2][]string // the first of each, as many as are asked for
		errs  [2]error
		wg    sync.WaitGroup
	)
	for i := range sections {
		names[i] = make([]string, slices.Max(Rows[:])+1)
		wg.Go(func() {
			lines[i], errs[i] = r.read(path, sections[i], func(chunk int, parsed []datedDonation) {
				row := chunk * chunkLines
				for k := 0; k < len(parsed) && row+k < len(names[i]); k++ {
					names[i][row+k] = parsed[k].name
				}
			})
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return Answer{}, err
	}
	for i, row := range Rows {
		if own := row - int(lines[0]); own < 0 {
			r.answer.Names[i] = names[0][row]
		} else {
			r.answer.Names[i] = names[1][own]
		}
	}
	return r.result(lines[0] + lines[1]), nil
}

// lineAfter returns where the first line begins that begins at off or later.
func lineAfter(f *os.File, off int64) (int64, error) {
	if off == 0 {
		return 0, nil
	}
	in := bufio.NewReader(io.NewSectionReader(f, off-1, 1<<62))
	before := off - 1
	for {
		piece, err := in.ReadSlice('\n')
		before += int64(len(piece))
		switch {
		case err == nil || errors.Is(err, io.EOF):
			return before, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return 0, err
		}
	}
}
