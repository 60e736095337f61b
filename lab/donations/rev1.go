package donations

import (
	"sync"
	"sync/atomic"
)

// Rev1 is the article's first attempt to use several processors. It starts a goroutine for each line,
// which sends name, first name and date over three channels to the one that fills the lists. The
// article reports 732 seconds, 29 times as long as Rev0: the goroutines queue up at the channels, 54
// million messages for 18 million lines. A million lines took 10 seconds there, 7 times as long as
// Rev0, so the factor grows with the file.
//
// Kept: a goroutine a line, however many there are at once, three channels without buffers, and a count
// of outstanding messages. With a name goes its row.
func Rev1(path string) (Answer, error) {
	type named struct {
		row  int
		name string
	}
	var (
		l          lists
		wg         sync.WaitGroup
		failure    firstError
		names      = make(chan named)
		firstNames = make(chan string)
		dates      = make(chan string)
		done       = make(chan struct{})
	)
	go func() {
		for {
			select {
			case n := <-names:
				l.answer.keepName(n.row, n.name)
				l.names = append(l.names, n.name)
			case name := <-firstNames:
				l.firstNames = append(l.firstNames, name)
			case date := <-dates:
				l.dates = append(l.dates, date)
			case <-done:
				return
			}
			wg.Done()
		}
	}()
	parse := newParser(capturedFirstName)
	row := 0
	failure.keep(eachLine(path, func(text string) error {
		wg.Add(3)
		go func(row int) {
			e, err := parse(text)
			if err != nil {
				failure.keep(err)
				wg.Add(-3)
				return
			}
			names <- named{row, e.name}
			if e.firstName != "" {
				firstNames <- e.firstName
			} else {
				wg.Add(-1)
			}
			dates <- e.date
		}(row)
		row++
		return nil
	}))
	wg.Wait()
	close(done)
	if err := failure.of(path); err != nil {
		return Answer{}, err
	}
	return l.count(), nil
}

// Rev2 is the article's third program: a goroutine parses 65,536 lines, and sends one entry a message
// to the one that fills the lists. The article reports 18.3 seconds, 1.36 times as fast as Rev0, and
// 16,376 MiB of allocated memory.
//
// It has a bug, exercise 4 of the article: see Rev2Bug. Here it is mended: the last chunk, which is not
// full, is processed as well.
//
// Kept: the channel without a buffer, a pointer to the WaitGroup in each entry, and a receiver that goes on
// when the channel is closed: while the lists are counted it keeps a processor busy. An entry has its row.
func Rev2(path string) (Answer, error) {
	l, end, err := sendEntries(path, func(process func(chunk int, lines []string) error) error {
		return eachChunk(path, newLines, process)
	})
	defer end()
	if err != nil {
		return Answer{}, err
	}
	return l.count(), nil
}

// sendEntries fills the lists with the entries of all chunks, sent one by one. The receiver spins until end is
// called: the article's does until its program ends.
func sendEntries(
	path string, each func(process func(chunk int, lines []string) error) error,
) (filled *lists, end func(), err error) {
	type sent struct {
		entry
		row int
		wg  *sync.WaitGroup
	}
	var (
		l       lists
		wg      sync.WaitGroup
		entries = make(chan sent)
		ended   atomic.Bool
	)
	go func() {
		for !ended.Load() {
			if e, ok := <-entries; ok {
				l.answer.keepName(e.row, e.name)
				l.append(e.entry)
				e.wg.Done()
			}
		}
	}()
	parse := newParser(capturedFirstName)
	err = each(func(chunk int, lines []string) error {
		wg.Add(len(lines))
		row := chunk * chunkLines
		for i, text := range lines {
			e, err := parse(text)
			if err != nil {
				wg.Add(i - len(lines))
				return err
			}
			entries <- sent{e, row + i, &wg}
		}
		return nil
	})
	wg.Wait()
	close(entries)
	return &l, func() { ended.Store(true) }, err
}

// Rev2Bug is the article's third program as it was published, with its bug, which is exercise 4: "fix
// it". The loop over the lines starts a goroutine whenever 65,536 lines are together, and nothing does
// so after the last line. So the lines of the last chunk, which is rarely full, are not in any answer,
// and nothing says so: of the article's 18,245,416 lines 26,408 are missing. A file of fewer than 65,536
// lines has no answers at all, and the program panics when it prints the first name; here they are empty.
//
// It shares a second bug with all revisions from 1 to 9: entries of several goroutines arrive in any
// order, and the names that are printed for rows 0, 432 and 43243 are those that arrived as such. So
// they differ between runs on several processors. This is kept here, and mended in the others.
func Rev2Bug(path string) (Answer, error) {
	l, end, err := sendEntries(path, func(process func(chunk int, lines []string) error) error {
		return eachChunk(path, newLines, func(chunk int, lines []string) error {
			if len(lines) < chunkLines {
				return nil // the bug
			}
			return process(chunk, lines)
		})
	})
	defer end()
	if err != nil {
		return Answer{}, err
	}
	a := l.count()
	a.Names = [3]string{}
	a.keepNames(0, l.names)
	return a, nil
}
