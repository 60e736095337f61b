package donations

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/internal/machine/memory"
)

// Idiomatic answers exercise 7: is clear and idiomatic Go still fast? It has one goroutine, a type for
// what is counted with a method that adds a line, and strings.Cut in place of a slice of fields. Nothing
// is collected that no question asks for.
func Idiomatic(path string) (Answer, error) {
	s := survey{months: map[string]int64{}, firstNames: map[string]int64{}}
	if err := eachLine(path, s.add); err != nil {
		return Answer{}, err
	}
	return s.answer(), nil
}

// survey is what is known of the lines so far.
type survey struct {
	lines      int
	asked      Answer // Names
	months     map[string]int64
	firstNames map[string]int64
}

// add counts a line.
func (s *survey) add(line string) error {
	var image, name string
	rest := line
	for field := 0; field <= nameField; field++ {
		value, after, more := strings.Cut(rest, "|")
		if !more && field < nameField {
			return notADonation(line)
		}
		switch field {
		case imageField:
			image = value
		case nameField:
			name = strings.TrimSpace(value)
		}
		rest = after
	}
	if len(image) < monthDigits {
		return notADonation(line)
	}
	s.asked.keepName(s.lines, name)
	s.months[image[:monthDigits]]++
	if first := firstWord(name); first != "" {
		s.firstNames[first]++
	}
	s.lines++
	return nil
}

// firstWord returns the first word behind a comma and a space, "" if there is none.
func firstWord(name string) string {
	_, rest, _ := strings.Cut(name, ", ")
	word, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	word, _, _ = strings.Cut(word, ",")
	return word
}

func (s *survey) answer() Answer {
	a := s.asked
	a.Lines, a.Months = int64(s.lines), s.months
	for name, n := range s.firstNames {
		if n > a.FirstCount {
			a.First, a.FirstCount = name, n
		}
	}
	return a
}

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

// NoGC answers exercise 6: what happens if the garbage collector is off. It is Rev9.
//
// Without collections no memory is used twice: all of it, twice the size of the file, comes from the kernel
// page by page. The figures of allocation, faults and processor time show what that costs.
//
// A file that is too large would fill the memory of the machine. So the runtime has a limit, half of what is
// available: there it would collect after all. That is another experiment, and so an error.
func NoGC(path string) (Answer, error) {
	available, err := memory.AvailableBytes()
	if err != nil {
		return Answer{}, err
	}
	return withoutCollections(path, available/2)
}

var errCollected = errors.New("too little memory to go without the garbage collector; try a smaller --size")

// withoutCollections is Rev9 with so much memory, 0 if it is not known what there is.
func withoutCollections(path string, limit int64) (Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if limit > 0 {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	}
	before := collections()
	a, err := Rev9(path)
	if n := collections() - before; err == nil && n > 0 {
		return Answer{}, fmt.Errorf("%w: %d collections with a limit of %s", errCollected, n, humanize.IBytes(uint64(limit)))
	}
	return a, err
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
