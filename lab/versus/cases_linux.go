package versus

import "github.com/thresh-dev/thresh/lab/pagecache"

// benchCase is one comparison. Its results go into the report under its name.
type benchCase struct {
	name, what string
	tools      []string // required programs; without them the case is skipped
	run        func(b *bench)
}

var cases = []benchCase{
	{"warm", "first nonzero byte in a cached file, against the published programs", nil,
		onHaystack(warm)},
	{"own-memory", "the same, against the same kernel on its own memory", nil, onHaystack(ownMemory)},
	{"touch", "questions about bytes in memory, against touching these bytes", nil, onHaystack(touch)},
	{"cmp", "the same, against cmp FILE /dev/zero", []string{"cmp"}, onHaystack(besideCmp)},
	{"literal", "a rare text near the end of a cached log", []string{"rg", "grep"}, onLog(search(askLiterally))},
	{"regex-literal", "a rare expression with a frequent literal", []string{"rg", "grep"}, onLog(search(regexCommon))},
	{"regex-rare-literal", "an expression with a rare literal", []string{"rg", "grep"}, onLog(search(regexRare))},
	{"regex-no-literal", "an expression without a literal", []string{"rg", "grep"}, onLog(search(regexNone))},
	{"regex-no-literal-digits", "another one, which almost matches everywhere", []string{"rg", "grep"},
		onLog(search(regexDigits))},
	{"hex", "bytes with wildcards", []string{"grep"}, onLog(search(askHex))},
	{"cold", "a file that is not in the page cache, against direct reads by fio", []string{"fio"},
		onHaystack(cold)},
	{"blank", "whether a cached file is blank, against find --nonzero", nil, onHaystack(blankWarm)},
	{"blank-cold", "whether a file that is not cached is blank, against direct reads by fio", []string{"fio"},
		onHaystack(blankCold)},
	{"cold-buffered", "the same, against plain buffered reads", nil, onHaystack(coldBuffered)},
	{"half-first", "a file whose first half is cached, against each engine alone", nil, onHaystack(halfCached(halves))},
	{"half-striped", "a file that is cached in stripes of 64 MiB", nil, onHaystack(halfCached(stripes))},
	{"tens", "how many int32 are 10 in a cached file, against the same kernel on its own memory", nil, countTens},
	{"stats-16", "statistics of bf16 and f16 in a cached file, against those of f32", nil, stats16},
	{"tens-cold", "the same in a file that is not cached, against direct reads by fio", []string{"fio"}, countCold},
	{"lines", "lines of a cached log, against wc -l", []string{"wc"}, onLog(countLines)},
	{"words", "words and characters of cached text, against wc -w and -m", []string{"wc"}, countWords},
	{"lines-small", "lines of a file of 1000 bytes, whole process, against wc -l", []string{"wc"},
		over((*bench).smallFile, countSmall)},
	{"literals-100", "how often any of 100 texts is in a cached log", []string{"rg"}, onLog(literals(100))},
	{"literals-10000", "how often any of 10,000 texts is in a cached log", []string{"rg"}, onLog(literals(10_000))},
	{"count-text", "how often a frequent word is in a cached log", []string{"rg", "grep"},
		onLog(countText)},
	{"grep-rare", "the lines with a rare text in a cached log", []string{"rg", "sh"},
		onLog(grepLog("card declined, retry 3 of 3"))},
	{"grep-frequent", "those with a text that is in a tenth of them", []string{"rg", "sh"}, onLog(grepLog("ERROR"))},
	{"grep-count", "how many those are", []string{"rg", "sh"}, onLog(grepLog("-c", "ERROR"))},
	{"grep-number", "the same lines with their numbers", []string{"rg", "sh"}, onLog(grepLog("-n", "ERROR"))},
	{"grep-invert", "the lines without a frequent text", []string{"rg", "sh"}, onLog(grepLog("-v", "INFO"))},
	{"grep-case", "the lines with a rare text in any case", []string{"rg", "sh"},
		onLog(grepLog("-i", "card declined"))},
	{"grep-case-frequent", "how many have a frequent text in any case", []string{"rg", "sh"},
		onLog(grepLog("-i", "-c", "error"))},
	{"grep-only", "the matches of an expression that is in most lines", []string{"rg", "sh"},
		onLog(grepLog("-o", "user=[0-9]+"))},
	{"grep-context", "some lines with three around each", []string{"rg", "sh"}, onLog(grepLog("-C3", "user=48151"))},
	{"grep-100", "the lines with any of 100 texts", []string{"rg", "sh"}, onLog(grepTexts(100))},
	{"grep-10000", "the lines with any of 10,000 texts", []string{"rg", "sh"}, onLog(grepTexts(10_000))},
	{"grep-no-literal", "the lines with any of three expressions without a literal", []string{"rg", "sh"},
		onLog(grepLog("-e", "[A-Z]{4}[0-9]{7}[A-Z]{2}", "-e", "[0-9]{4}[A-Z]{2}[0-9]{3}", "-e", "[a-z]{12}[0-9]{3}"))},
	{"grep-tree", "the lines with a word in 100,000 cached files", []string{"rg", "sh"}, grepTree},
	{"bgzf", "lines of a log in gzip blocks, against one worker", nil, decompress(bgzf, oneWorker)},
	{"zstd-frames", "lines of a log in many zstd frames, against one worker", nil, decompress(frames, oneWorker)},
	{"gzip", "lines of a log in one gzip member, against the library alone", nil, decompress(single, libraryAlone)},
	{"gzip-log", "processor time of a log in one gzip member, against other decoders", []string{"sh"}, gzipOf("log")},
	{"gzip-csv", "the same of CSV", []string{"sh"}, gzipOf("csv")},
	{"gzip-json", "the same of JSON", []string{"sh"}, gzipOf("json")},
	{"gzip-binary", "the same of a program", []string{"sh"}, gzipOf("binary")},
	{"gzip-search", "a word in a log in one gzip member, against zcat | rg and rg -z", []string{"zcat", "rg"}, searchGzip},
	{"gzip-100", "lines of a hundred logs in a gzip member each, against one worker", nil, manyGzip},
	{"bzip2", "lines of a log in bzip2, against bzip2 -dc | wc -l", []string{"bzip2"}, decompress(bzip2s, bzip2Lines)},
	{"tree", "a word in 100,000 cached files of 4 KB", []string{"rg"}, overTree(readFile)},
	{"tree-cold", "the same, with no file in the page cache", []string{"rg"}, overTree(dropFile)},
	{"table-donations", "four questions about donations, against a published program", []string{"wc"},
		overDonations(1_500_000_000)},
	{"table-donations-3", "the same of 3.3 GB", []string{"wc"}, overDonations(3_300_000_000)},
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
	{"serve-file", "a large file over HTTP, against nginx and net/http", []string{"taskset", "nginx"},
		serveFile(servedBytes, 1, 2)},
	{"serve-file-16", "the same over 16 connections at once", []string{"taskset", "nginx"},
		serveFile(servedBytes/2, 16, 1)},
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
		[]string{"taskset", "nginx"}, remoteNear(overHTTP)},
	{"remote-https", "the same over TLS", []string{"taskset", "nginx"}, remoteNear(overTLS)},
	{"remote-s3", "the same of an object of versitygw", []string{"taskset", "versitygw", "curl"}, remoteNear(fromStore)},
	{"remote-far", "lines of an object that is 50 ms away", []string{"taskset", "nginx"}, remoteFar},
	{"remote-lossy", "the same where one packet of a hundred is lost", []string{"taskset", "nginx", "ip"}, remoteLossy},
	{"minify-file", "JSON of 500 MB from a cached file to another", []string{"jq", "sh", "sync"}, minifyFile},
	{"minify-ndjson", "values one to a line, 500 MB from a cached file to another", nil, minifyLines},
	{"minify-memory", "white space out of 200 MB of JSON in memory, against simdjson", nil, minifyMemory},
	{"small", "a file of 1000 bytes, whole process, against grep -c", []string{"grep"},
		over((*bench).smallFile, small)},
	{"early", "a hit early in a big cached file, against the process's start, rg and grep", []string{"rg", "grep"},
		onLog(early(warmState, 20, true))},
	{"early-cold", "the same in a file that is not in the page cache", []string{"rg", "grep"},
		onLog(early(coldState, 1, false))},
	{"memory-file", "own memory while a big file is searched", nil, onHaystack(memoryFile)},
	{"memory-pipe", "own memory while a pipe is searched", nil, memoryPipe},
	{"memory-line", "own memory while an expression is searched in one huge line", nil, memoryLine},
}

// over returns a run of a case about one file.
func over(file func(b *bench) *pagecache.File, run func(b *bench, file *pagecache.File)) func(b *bench) {
	return func(b *bench) { run(b, file(b)) }
}

// onLog returns a run of a case about the log.
func onLog(run func(b *bench, log *pagecache.File)) func(b *bench) { return over((*bench).log, run) }

// onHaystack returns a run of a case about the haystack.
func onHaystack(run func(b *bench, hay *pagecache.File)) func(b *bench) {
	return over((*bench).haystack, run)
}
