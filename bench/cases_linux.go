package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/lab/peer"
)

// benchCase is one comparison. Its results go into the report under its name.
type benchCase struct {
	name, what string
	tools      []string // required programs; without them the case is skipped
	run        func(ctx context.Context, b *bench, name string) error
}

var cases = []benchCase{
	{"warm", "first nonzero byte in a cached file, against the published programs", nil, warm},
	{"own-memory", "the same, against the same kernel on its own memory", nil, ownMemory},
	{"touch", "questions about bytes in memory, against touching these bytes", nil, touch},
	{"cmp", "the same, against cmp FILE /dev/zero", []string{"cmp"}, besideCmp},
	{"literal", "a rare text near the end of a cached log", []string{"rg", "grep"}, literal},
	{"regex-literal", "a rare expression with a frequent literal", []string{"rg", "grep"}, regexCommon},
	{"regex-rare-literal", "an expression with a rare literal", []string{"rg", "grep"}, regexRare},
	{"regex-no-literal", "an expression without a literal", []string{"rg", "grep"}, regexNone},
	{"regex-no-literal-digits", "another one, which almost matches everywhere", []string{"rg", "grep"}, regexDigits},
	{"hex", "bytes with wildcards", []string{"grep"}, hex},
	{"cold", "a file that is not in the page cache, against direct reads by fio", []string{"fio"}, cold},
	{"blank", "whether a cached file is blank, against find --nonzero", nil, blankWarm},
	{"blank-cold", "whether a file that is not cached is blank, against direct reads by fio", []string{"fio"}, blankCold},
	{"cold-buffered", "the same, against plain buffered reads", nil, coldBuffered},
	{"half-first", "a file whose first half is cached, against each engine alone", nil, halfFirst},
	{"half-striped", "a file that is cached in stripes of 64 MiB", nil, halfStriped},
	{"tens", "how many int32 are 10 in a cached file, against the same kernel on its own memory", nil, countTens},
	{"stats-16", "statistics of bf16 and f16 in a cached file, against those of f32", nil, stats16},
	{"tens-cold", "the same in a file that is not cached, against direct reads by fio", []string{"fio"}, countCold},
	{"lines", "lines of a cached log, against wc -l", []string{"wc"}, countLines},
	{"words", "words and characters of cached text, against wc -w and -m", []string{"wc"}, countWords},
	{"lines-small", "lines of a file of 1000 bytes, whole process, against wc -l", []string{"wc"}, countSmall},
	{"literals-100", "how often any of 100 texts is in a cached log", []string{"rg"}, literals(100)},
	{"literals-10000", "how often any of 10,000 texts is in a cached log", []string{"rg"}, literals(10_000)},
	{"count-text", "how often a frequent word is in a cached log", []string{"rg", "grep"}, countText},
	{"grep-rare", "the lines with a rare text in a cached log", []string{"rg", "sh"},
		grepLog("card declined, retry 3 of 3")},
	{"grep-frequent", "those with a text that is in a tenth of them", []string{"rg", "sh"}, grepLog("ERROR")},
	{"grep-count", "how many those are", []string{"rg", "sh"}, grepLog("-c", "ERROR")},
	{"grep-number", "the same lines with their numbers", []string{"rg", "sh"}, grepLog("-n", "ERROR")},
	{"grep-invert", "the lines without a frequent text", []string{"rg", "sh"}, grepLog("-v", "INFO")},
	{"grep-case", "the lines with a rare text in any case", []string{"rg", "sh"},
		grepLog("-i", "card declined")},
	{"grep-case-frequent", "how many have a frequent text in any case", []string{"rg", "sh"},
		grepLog("-i", "-c", "error")},
	{"grep-only", "the matches of an expression that is in most lines", []string{"rg", "sh"},
		grepLog("-o", "user=[0-9]+")},
	{"grep-context", "some lines with three around each", []string{"rg", "sh"}, grepLog("-C3", "user=48151")},
	{"grep-100", "the lines with any of 100 texts", []string{"rg", "sh"}, grepTexts(100)},
	{"grep-10000", "the lines with any of 10,000 texts", []string{"rg", "sh"}, grepTexts(10_000)},
	{"grep-no-literal", "the lines with any of three expressions without a literal", []string{"rg", "sh"},
		grepLog("-e", "[A-Z]{4}[0-9]{7}[A-Z]{2}", "-e", "[0-9]{4}[A-Z]{2}[0-9]{3}", "-e", "[a-z]{12}[0-9]{3}")},
	{"grep-tree", "the lines with a word in 100,000 cached files", []string{"rg", "sh"}, grepTree},
	{"bgzf", "lines of a log in gzip blocks, against one worker", nil, decompressBGZF},
	{"zstd-frames", "lines of a log in many zstd frames, against one worker", nil, decompressFrames},
	{"gzip", "lines of a log in one gzip member, against the library alone", nil, decompressSingle},
	{"gzip-log", "processor time of a log in one gzip member, against other decoders", []string{"sh"}, gzipOf("log")},
	{"gzip-csv", "the same of CSV", []string{"sh"}, gzipOf("csv")},
	{"gzip-json", "the same of JSON", []string{"sh"}, gzipOf("json")},
	{"gzip-binary", "the same of a program", []string{"sh"}, gzipOf("binary")},
	{"gzip-search", "a word in a log in one gzip member, against zcat | rg and rg -z", []string{"zcat", "rg"}, searchGzip},
	{"gzip-100", "lines of a hundred logs in a gzip member each, against one worker", nil, manyGzip},
	{"bzip2", "lines of a log in bzip2, against bzip2 -dc | wc -l", []string{"bzip2"}, decompressBzip2},
	{"tree", "a word in 100,000 cached files of 4 KB", []string{"rg"}, treeWarm},
	{"tree-cold", "the same, with no file in the page cache", []string{"rg"}, treeCold},
	{"table-donations", "four questions about donations, against a published program", []string{"wc"}, tableDonations},
	{"table-donations-3", "the same of 3.3 GB", []string{"wc"}, tableDonationsLarge},
	{"table-scaling", "the same with two workers, against one", nil, tableScaling},
	{"table-column", "groups of one short field, against counting lines", nil, tableColumn},
	{"table-select", "half of the records to a file, against cp of all", []string{"cp"}, tableSelect},
	{"table-brc", "minimum, mean and maximum of 100 million measurements", nil, tableMeasurements},
	{"table-brc-10k", "the same with 10,000 long names, against 413", nil, tableMeasurements10k},
	{"table-quoted", "groups in CSV with quotes, against the same without", nil, tableOrders},
	{"table-keys", "groups by 10 million keys in 512 MiB", nil, tableKeys},
	{"table-quantiles", "median and p99 of 10 million prices in 20 groups", nil, tableQuantiles},
	{"table-distinct", "4 million distinct keys in 10 million rows", nil, tableDistinct},
	{"table-shapes", "questions of all kinds about tables of all kinds, against DuckDB and Polars", nil, tableShapes},
	{"serve-file", "a large file over HTTP, against nginx and net/http", []string{"taskset", "nginx"}, serveFile},
	{"serve-file-16", "the same over 16 connections at once", []string{"taskset", "nginx"}, serveFiles},
	{"serve-calls", "system calls of a large file, whole and in ranges", []string{"taskset", "strace"}, serveCalls},
	{"serve-small", "files of 4 KiB over 100 connections", []string{"taskset", "nginx", "wrk"}, serveSmall},
	{"serve-slow", "10,000 slow downloads at once, and small requests meanwhile", []string{"taskset"}, serveSlow},
	{"serve-listing", "listings of 1,000 entries, against nginx and Caddy, and of 100,000, against nginx",
		[]string{"taskset", "nginx"}, serveListing},
	{"serve-archive", "a folder of many files as .tar, against one file", []string{"taskset", "tar"}, serveArchive},
	{"relay-cpu", "relayed TCP connections, against a copy loop and HAProxy", []string{"taskset", "haproxy"}, relayCPU},
	{"relay-cubic", "the same where no socket is paced, against HAProxy", []string{"taskset", "haproxy", "ip"},
		relayCubic},
	{"relay-many", "1,000 idle and 100 busy connections, against 10 busy ones", []string{"taskset"}, relayMany},
	{"remote-http", "lines and the first nonzero byte of an object of nginx, against parallel readers of ranges",
		[]string{"taskset", "nginx"}, remoteHTTP},
	{"remote-https", "the same over TLS", []string{"taskset", "nginx"}, remoteHTTPS},
	{"remote-s3", "the same of an object of versitygw", []string{"taskset", "versitygw", "curl"}, remoteS3},
	{"remote-far", "lines of an object that is 50 ms away", []string{"taskset", "nginx"}, remoteFar},
	{"remote-lossy", "the same where one packet of a hundred is lost", []string{"taskset", "nginx", "ip"}, remoteLossy},
	{"minify-file", "JSON of 500 MB from a cached file to another", []string{"jq", "sh", "sync"}, minifyFile},
	{"minify-ndjson", "values one to a line, 500 MB from a cached file to another", nil, minifyLines},
	{"minify-memory", "white space out of 200 MB of JSON in memory, against simdjson", nil, minifyMemory},
	{"builds-kernels", "all kernels at all lengths, in the ordinary build and in the one with GOEXPERIMENT=simd", nil,
		buildsKernels},
	{"builds-nonzero", "first nonzero byte, with both builds", nil, buildsNonzero},
	{"builds-lines", "lines of a cached log, with both builds", nil, buildsLines},
	{"builds-text", "a rare text, with both builds", nil,
		buildsFind("card declined", "--text", "card declined, retry 3 of 3")},
	{"builds-regex", "an expression with a frequent literal, with both builds", nil,
		buildsFind("user=481516234 card", "--regex", `user=[0-9]{9} card`)},
	{"builds-regex-no-literal", "an expression without a literal, with both builds", nil,
		buildsFind("KQXT4820193ZW", "--regex", `[A-Z]{4}[0-9]{7}[A-Z]{2}`)},
	{"builds-count", "how many int32 are 10, with both builds", nil, buildsCount},
	{"builds-stats", "statistics of doubles, with both builds", nil, buildsStats},
	{"builds-minify", "JSON from a cached file to another, validated, with both builds", nil, buildsMinify()},
	{"builds-minify-trust", "the same without validation", nil, buildsMinify("--trust")},
	{"builds-table", "four questions about donations, with both builds", nil, buildsTable},
	{"builds-brc", "minimum, mean and maximum of 100 million measurements, with both builds", nil, buildsMeasurements},
	{"small", "a file of 1000 bytes, whole process, against grep -c", []string{"grep"}, small},
	{"early", "a hit early in a big cached file, against the process's start, rg and grep", []string{"rg", "grep"}, early},
	{"early-cold", "the same in a file that is not in the page cache", []string{"rg", "grep"}, earlyCold},
	{"memory-file", "own memory while a big file is searched", nil, memoryFile},
	{"memory-pipe", "own memory while a pipe is searched", nil, memoryPipe},
	{"memory-line", "own memory while an expression is searched in one huge line", nil, memoryLine},
}

// needleOffset returns the offset of the haystack's nonzero word.
func (b *bench) needleOffset() int64 { return b.size - 8 }

// child returns this program as a contender that runs as a child process.
func (b *bench) child(name, want string, work ...string) contender {
	return contender{name: name, args: append([]string{b.self, childCommand}, work...), want: want}
}

func warm(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	sides := []contender{b.find(b.needleOffset(), "--nonzero", hay.Name)}
	for _, id := range []string{"v13", "v11", "v07", "v04", "v03"} {
		if _, err := variant(id); err != nil {
			b.skip(name, err.Error())
			continue
		}
		c := b.child("needle/"+id, fmt.Sprint(b.needleOffset()),
			"needle", id, hay.Name, strconv.Itoa(b.workers))
		if id == "v13" {
			c.target = atLeast(1.5)
		}
		sides = append(sides, c)
	}
	return b.compare(ctx, name, warmState(hay), b.size, sides...)
}

// ownMemory compares twice: with the time of the whole process, and with the time that thresh
// reports. The latter starts when the file is open, and so matches that of the memory scan.
func ownMemory(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	bytes, err := memoryToScan(b.size)
	if err != nil {
		return err
	}
	process := b.find(b.needleOffset(), "--nonzero", hay.Name)
	clocked := b.find(b.needleOffset(), "--nonzero", hay.Name, "--receipt=json")
	clocked.rate = func(o outcome) (float64, error) {
		r, err := parseReceipt(o.stderr)
		return float64(r.Bytes+r.Skipped) / r.Seconds, err
	}
	memory := b.child("memory", "", "memory", fmt.Sprint(bytes), strconv.Itoa(b.workers))
	// The child process checks that all bytes are zero.
	memory.answer = func(string) (string, error) { return "", nil }
	memory.rate = func(o outcome) (float64, error) { return parseMemory(o.stdout) }

	rates, err := b.measure(ctx, warmState(hay), b.size, []contender{process, clocked, memory})
	if err != nil {
		return err
	}
	wall, err := b.wall(ctx, warmState(hay), process)
	if err != nil {
		return err
	}
	for i, note := range []string{"by the time of the whole process", "by the receipt's own seconds"} {
		b.add(row{
			Case: name, Peer: "own memory", What: timesItsRate, Target: atLeast(0.9), Wall: wall,
			Note:       fmt.Sprintf("%s; %d MiB of memory in huge pages", note, bytes>>20),
			Number:     summarize(ratios(rates[i], rates[2])),
			ThreshRate: medianGB(rates[i]), PeerRate: medianGB(rates[2]),
		})
	}
	return nil
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

func besideCmp(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	return b.compare(ctx, name, warmState(hay), b.size,
		b.find(b.needleOffset(), "--nonzero", hay.Name),
		contender{
			name: "cmp", args: peer.Cmp(hay.Name), status: 1,
			answer: peer.ParseCmp, want: fmt.Sprint(b.needleOffset()), target: atLeast(8),
		})
}

// halves returns the range of the first half of a file.
func halves(size int64) []source.Range { return []source.Range{{Off: 0, End: size / 2}} }

// stripes returns every other stripe of 64 MiB.
func stripes(size int64) (out []source.Range) {
	const stripeBytes = 64 << 20
	for off := int64(0); off < size; off += 2 * stripeBytes {
		out = append(out, source.Range{Off: off, End: min(off+stripeBytes, size)})
	}
	return out
}

func halfFirst(ctx context.Context, b *bench, name string) error {
	return halfCached(ctx, b, name, halves(b.size))
}

func halfStriped(ctx context.Context, b *bench, name string) error {
	return halfCached(ctx, b, name, stripes(b.size))
}

func halfCached(ctx context.Context, b *bench, name string, cached []source.Range) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	sides := []contender{b.find(b.needleOffset(), "--nonzero", hay.Name)}
	for _, engine := range []string{"mmap", "uring", "pread"} {
		c := b.find(b.needleOffset(), "--nonzero", "--engine", engine, hay.Name)
		c.name = "--engine " + engine
		c.target = atLeast(1)
		sides = append(sides, c)
	}
	half := state{before: func() error { return hay.onlyCached(cached) }}
	return b.compare(ctx, name, half, b.size, sides...)
}

// small compares whole processes on a file so small that the search takes no time. A sample is many
// processes, because one ends too soon to be timed.
func small(ctx context.Context, b *bench, name string) error {
	file, err := b.smallFile()
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := file.find([]byte("needle"))
	if err != nil {
		return err
	}
	thresh := b.find(text, "--text", "needle", file.Name)
	grep := contender{name: "grep -c", args: []string{"grep", "-c", "needle", file.Name}, want: "1"}
	return b.processes(ctx, name, file, thresh, grep)
}

// processes compares the time of whole processes on a small file.
func (b *bench) processes(ctx context.Context, name string, file *subject, thresh, peer contender) error {
	const processes = 60
	thresh.repeat, peer.repeat = processes, processes
	rates, err := b.measure(ctx, warmState(file), file.Bytes, []contender{thresh, peer})
	if err != nil {
		return err
	}
	millis := func(rates []float64) float64 {
		return 1e3 * float64(file.Bytes) / summarize(rates).Median
	}
	b.add(row{
		Case: name, Peer: peer.name, What: timesItsTime, Target: atMost(2),
		Number: summarize(ratios(rates[1], rates[0])), // times are the inverses of rates
		Note: fmt.Sprintf("%.2f ms a process, %s %.2f ms",
			millis(rates[0]), peer.name, millis(rates[1])),
	})
	return nil
}

// matchAt returns a match at an offset as printed by rg -b -o and grep -b -o.
func matchAt(offset int64, match string) string {
	return strconv.FormatInt(offset, 10) + ":" + strings.TrimSpace(match)
}
