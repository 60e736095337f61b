package donations

import "sync"

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
