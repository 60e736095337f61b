package versus

import (
	"errors"
	"fmt"
	"regexp"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// nonzero returns thresh find --nonzero of the haystack.
func (b *bench) nonzero(hay *pagecache.File, args ...string) contender {
	return b.thresh(b.needleOffset(), append([]string{"find", "--nonzero", hay.Name}, args...)...)
}

func warm(b *bench, hay *pagecache.File) {
	sides := []contender{b.nonzero(hay)}
	for _, id := range []string{"v13", "v11", "v07", "v04", "v03"} {
		if _, err := variant(id); err != nil {
			b.skip(err.Error())
			continue
		}
		c := b.child("needle/"+id, b.needleOffset(), "needle", id, hay.Name, b.workers)
		if id == "v13" {
			c.target = lab.AtLeast(1.5)
		}
		sides = append(sides, c)
	}
	b.compare(warmState(hay), b.Bytes, sides...)
}

// ownMemoryBeside returns a kernel on this program's own memory as a contender, timed by itself, and how much it scans.
func (b *bench) ownMemoryBeside(task string) (c contender, bytes int64) {
	bytes = try(memoryToScan(b.Bytes))
	c = b.silentChild("own memory", task, bytes, b.workers) // the child checks what it scans
	c.rate = func(o peer.Output) (float64, error) { return parseMemory(o.Stdout) }
	c.target = lab.AtLeast(0.9)
	return c, bytes
}

// ownMemory compares twice: with the time of the whole process, and with the time that thresh
// reports. The latter starts when the file is open, and so matches that of the memory scan.
func ownMemory(b *bench, hay *pagecache.File) {
	process, clocked := b.nonzero(hay), b.nonzero(hay, "--receipt=json")
	clocked.rate = byReceipt
	memory, bytes := b.ownMemoryBeside("memory")
	rates := b.measure(warmState(hay), b.Bytes, process, clocked, memory)
	spent := b.spent(warmState(hay), process)
	for i, note := range []string{"by the time of the whole process", "by the receipt's own seconds"} {
		r := beside(lab.TimesItsRate, memory, rates[i], rates[2])
		r.Spent, r.Note = spent, fmt.Sprintf("%s; %d MiB of memory in huge pages", note, bytes>>20)
		b.add(r)
	}
}

// memoryToScan returns how much memory to allocate next to a cached file of that size: as much as
// the file, but at most half of the free memory.
func memoryToScan(size int64) (int64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, fmt.Errorf("memory of this machine: %w", err)
	}
	free := int64(info.Freeram) * int64(info.Unit)
	bytes := min(size, free/2) &^ (1<<21 - 1)
	if bytes < 64<<20 {
		return 0, errors.New("too little memory is free; try a smaller --size")
	}
	return bytes, nil
}

func besideCmp(b *bench, hay *pagecache.File) {
	b.compare(warmState(hay), b.Bytes, b.nonzero(hay), contender{
		name: "cmp", args: peer.Cmp(hay.Name), status: 1,
		answer: peer.ParseCmp, want: fmt.Sprint(b.needleOffset()), target: lab.AtLeast(8),
	})
}

// halves returns the range of the first half of a file.
func halves(size int64) []source.Range { return []source.Range{{Off: 0, End: size / 2}} }

// stripes returns every other stripe of 64 MiB.
func stripes(size int64) []source.Range { return striped(size, 64<<20) }

// halfCached compares with each engine alone.
func halfCached(cached func(size int64) []source.Range) func(b *bench, hay *pagecache.File) {
	return func(b *bench, hay *pagecache.File) {
		sides := []contender{b.nonzero(hay)}
		for _, engine := range []string{"mmap", "uring", "pread"} {
			sides = append(sides, b.nonzero(hay, "--engine", engine).as("--engine "+engine, lab.AtLeast(1), ""))
		}
		half := state{before: func() error { return hay.OnlyCached(cached(b.Bytes)) }}
		b.compare(half, b.Bytes, sides...)
	}
}

// fioWay is a way of reading with fio: the number of reads in flight and their size.
type fioWay struct {
	depth     int
	blockSize string
}

func fioWays(quick bool) (ways []fioWay) {
	depths, sizes := []int{1, 4, 16, 32, 64}, []string{"128k", "256k", "512k", "1M", "4M"}
	if quick {
		depths, sizes = []int{4, 32}, []string{"256k", "1M"}
	}
	for _, depth := range depths {
		for _, size := range sizes {
			ways = append(ways, fioWay{depth, size})
		}
	}
	return ways
}

// fio returns fio as a contender. It reads the file sequentially, bypassing the page cache. Its rate
// is the one that fio reports, which excludes its start.
func fio(file *pagecache.File, way fioWay, more ...string) contender {
	return contender{
		name: "fio direct", args: peer.Fio(file.Name, file.Bytes, way.depth, way.blockSize, more...),
		answer: silent, // the rate tells if it failed
		rate: func(o peer.Output) (float64, error) {
			_, rate, err := peer.ParseFio(o.Stdout)
			return rate, err
		},
		target: lab.AtLeast(0.95),
		note:   fmt.Sprintf("best of fio's ways: depth %d, blocks of %s", way.depth, way.blockSize),
	}
}

// fiosBest finds fio's fastest way with short runs.
func (b *bench) fiosBest(file *pagecache.File) contender {
	check(file.Cold())
	best, bestRate := fioWay{}, 0.0
	for _, way := range fioWays(b.Quick) {
		c := fio(file, way, "--time_based", "--runtime=1")
		rate := try(c.sample(b.ctx, 0))
		b.logf("  fio depth %d, blocks %s: %.2f GB/s", way.depth, way.blockSize, rate/1e9)
		if rate > bestRate {
			best, bestRate = way, rate
		}
	}
	return fio(file, best)
}

func cold(b *bench, hay *pagecache.File) {
	b.compare(coldState(hay), b.Bytes, b.nonzero(hay), b.fiosBest(hay))
}

func coldBuffered(b *bench, hay *pagecache.File) {
	b.compare(coldState(hay), b.Bytes, b.nonzero(hay),
		b.child("", b.Bytes, "read", hay.Name).as("buffered read", lab.AtLeast(1), ""))
}

// firstOther matches the offset in the answer of thresh blank.
var firstOther = regexp.MustCompile(`^not blank: .* is at (\d+);`)

// blank returns thresh blank as a contender. The haystack is not blank: its last word is a needle.
func (b *bench) blank(args ...string) contender {
	c := b.thresh(b.needleOffset(), append([]string{"blank"}, args...)...)
	c.name, c.status = "thresh blank", 1
	c.answer = func(stdout string) (string, error) {
		found := firstOther.FindStringSubmatch(stdout)
		if found == nil {
			return "", fmt.Errorf("no offset in %q", stdout)
		}
		return found[1], nil
	}
	return c
}

// blankWarm compares with find, which asks the same of the same bytes.
func blankWarm(b *bench, hay *pagecache.File) {
	b.compare(warmState(hay), b.Bytes, b.blank("--cached", hay.Name),
		b.nonzero(hay).as("find --nonzero", lab.AtLeast(0.95), ""))
}

func blankCold(b *bench, hay *pagecache.File) {
	b.compare(coldState(hay), b.Bytes, b.blank(hay.Name), b.fiosBest(hay))
}

// small compares whole processes on a file so small that the search takes no time.
func small(b *bench, file *pagecache.File) {
	b.processes(file, b.thresh(find(file, "needle"), "find", "--text", "needle", file.Name),
		contender{name: "grep -c", args: []string{"grep", "-c", "needle", file.Name}, want: "1"})
}

// processes compares the time of whole processes on a small file. A sample is many of them, because one ends too soon
// to be timed.
func (b *bench) processes(file *pagecache.File, thresh, peer contender) {
	const processes = 60
	thresh.repeat, peer.repeat = processes, processes
	rates := b.measure(warmState(file), 1, thresh, peer)
	peer.target = lab.AtMost(2)
	peer.note = fmt.Sprintf("%.2f ms a process, %s %.2f ms", medianMillis(rates[0]), peer.name, medianMillis(rates[1]))
	b.add(beside(lab.TimesItsTime, peer, rates[0], rates[1]))
}

// medianMillis returns the median time of a process in milliseconds, from processes a second.
func medianMillis(rates []float64) float64 { return 1000 / median(rates) }

// earlyPlaces are where the first hit of a search lies, and how much longer than the process's start
// finding it may take when the file is cached.
var earlyPlaces = []struct {
	name   string
	off    int64
	target lab.Target // milliseconds more than the same question about a small file
}{
	{"line 1", 0, lab.AtMost(0.3)},
	{"1 MiB", 1<<20 - 1<<10, lab.AtMost(0.3)},
	{"16 MiB", 16<<20 - 1<<10, lab.AtMost(1)},
}

var requestID = regexp.MustCompile(`req=[0-9a-f]{8}`)

// requestAt returns the first request from off on that is in no earlier line, and its offset.
func requestAt(s *pagecache.File, off int64) (text string, at int64) {
	head := string(content(s, 0, off+1<<16))
	for _, m := range requestID.FindAllStringIndex(head[min(off, int64(len(head))):], -1) {
		text = head[off+int64(m[0]) : off+int64(m[1])]
		if at = indexOf(head, text); at >= off {
			return text, at
		}
	}
	check(fmt.Errorf("%s has no new request after %d", s.Name, off))
	return "", 0
}

// early compares searches of a big file whose first hit lies early: with the same question about a
// small file, which takes as long as the process needs to start, and with programs that stop at
// their first match.
func early(cache func(...*pagecache.File) state, processes int, targets bool) func(b *bench, log *pagecache.File) {
	return func(b *bench, log *pagecache.File) {
		little := b.smallFile()
		for _, place := range earlyPlaces {
			text, at := requestAt(log, place.off)
			sides := []contender{
				b.thresh(at, "find", "--text", text, log.Name),
				b.thresh(find(little, "needle"), "find", "--text", "needle", little.Name),
				{name: "rg -m1", args: peer.Rg("-b", "-o", "-m1", "-F", text, log.Name), want: matchAt(at, text)},
				{name: "grep -m1", args: []string{"grep", "-a", "-b", "-o", "-m1", "-F", text, log.Name},
					want: matchAt(at, text), env: plainLocale},
			}
			for i := range sides {
				sides[i].repeat = processes
			}
			rates := b.measure(cache(log), 1, sides...) // processes a second
			var more []float64
			for i := range rates[0] {
				more = append(more, 1000/rates[0][i]-1000/rates[1][i])
			}
			start := lab.Row{Peer: "start, " + place.name, What: lab.MillisecondsMore, Number: lab.Summarize(more),
				Note: fmt.Sprintf("%.2f ms a process, in a small file %.2f ms", medianMillis(rates[0]), medianMillis(rates[1]))}
			if targets {
				start.Target = place.target
			}
			b.add(start)
			for i, peer := range sides[2:] {
				note := fmt.Sprintf("%.2f ms a process, %s %.2f ms", medianMillis(rates[0]), peer.name, medianMillis(rates[i+2]))
				b.add(beside(lab.TimesItsTime, peer.as(peer.name+", "+place.name, lab.Target{}, note), rates[0], rates[i+2]))
			}
		}
	}
}
