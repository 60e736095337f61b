package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// outsideBytes is how much memory a run may take besides --mem: what the program has before it begins, and what the
// garbage collector has not found yet.
const outsideBytes = 2 << 20

// TestMemory asks the same questions within more and more memory, from the least on: the answers are the same, and the
// program takes no more than it may.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("asks 104 questions about 8 MB")
	}
	dir := t.TempDir()
	visits, lines, cities := new(bytes.Buffer), new(bytes.Buffer), new(bytes.Buffer)
	fmt.Fprintln(visits, "id,city,country,amount,note")
	fmt.Fprintln(cities, "city,region")
	random := rand.New(rand.NewPCG(1, 2))
	const records, places = 200_000, 5000
	for i := range records {
		id, city, country, cents := i*7919%records, random.IntN(places), random.IntN(5), random.IntN(100_000)
		fmt.Fprintf(visits, "%d,c%d,l%d,%d.%02d,\"no, %d\"\n", id, city, country, cents/100, cents%100, i)
		fmt.Fprintf(lines, `{"id":%d,"city":"c%d","amount":%d,"note":"n\"%d"}`+"\n", id, city, cents, i)
	}
	for i := range places {
		fmt.Fprintf(cities, "c%d,r%d\n", i, i%50)
	}
	packed := new(bytes.Buffer)
	z := gzip.NewWriter(packed)
	if _, err := z.Write(visits.Bytes()); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*bytes.Buffer{"v.csv": visits, "v.ndjson": lines, "c.csv": cities, "v.csv.gz": packed} {
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"table", "v.csv", "--group", "country", "--agg", "count,sum(amount),mean(amount)"},
		{"table", "v.csv", "--group", "id", "--agg", "count,sum(amount)"},
		{"table", "v.csv", "--group", "id", "--agg", "sum(amount)", "--top-by", "sum(amount)", "--limit", "10"},
		{"table", "v.csv", "--group", "id", "--agg", "sum(amount)", "--sort", "sum(amount) desc"},
		{"table", "v.csv", "--group", "note", "--agg", "max(city),count,mean(id)", "--sort", "max(city), mean(id) desc"},
		{"table", "v.csv", "--group", "round(amount * 3 / 7)", "--agg", "sum(amount * 2)"},
		{"table", "v.csv", "--agg", "distinct(id),distinct(note)"},
		{"table", "v.csv", "--group", "city", "--agg", "distinct(id),median(amount)"},
		{"table", "v.csv", "--agg", "median(amount),p99(id),stddev(amount)"},
		{"table", "v.csv", "--top", "10:id", "--rows"},
		{"table", "v.csv", "--columns"},
		{"table", "v.csv", "--sample", "1000"},
		{"table", "v.csv", "--select", "*"},
		{"table", "v.csv", "--where", `note like "%77%"`, "--select", "upper(city),amount"},
		{"table", "v.csv", "--select", "*", "--sort", "amount desc, id"},
		{"table", "v.csv", "--select", "*", "--sort", "amount desc, id", "--limit", "100"},
		{"table", "v.csv", "--select", "id,note", "--format", "arrow"},
		{"table", "v.csv.gz", "--group", "city", "--agg", "sum(amount)"},
		{"table", "v.csv.gz", "--select", "*", "--sort", "amount"},
		{"table", "v.ndjson", "--group", "city", "--agg", "p95(amount),distinct(note)"},
		{"table", "v.ndjson", "--select", "id,note", "--sort", "note"},
		{"sql", "select region, count(*), sum(amount) from 'v.csv' v join 'c.csv' c on v.city = c.city group by 1"},
		{"sql", "select region, id from 'v.csv' v left join 'c.csv' c on v.city = c.city where amount > 500"},
		{"sql", "select city from 'v.csv' union all select city from 'c.csv'"},
		{"sql", "select n, count(*) from (select city, count(*) as n from 'v.csv' group by 1) group by 1"},
		{"sql", "select city, count(*) from 'v.csv' group by 1; select median(amount), count(distinct id) from 'v.csv'"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			want, _ := within(t, dir, 256, args)
			for _, mib := range []int{16, 20, 32} {
				got, peak := within(t, dir, mib, args)
				for try := 0; try < 2 && peak > int64(mib)<<20+outsideBytes; try++ { // the collector was late
					_, again := within(t, dir, mib, args)
					peak = min(peak, again)
				}
				if got != want && args[len(args)-1] != "arrow" { // whose batches are shorter
					t.Errorf("%d MiB: %d bytes of output, want %d, and those", mib, len(got), len(want))
				}
				if peak > int64(mib)<<20+outsideBytes {
					t.Errorf("%d MiB: took %.1f MiB", mib, float64(peak)/(1<<20))
				}
			}
		})
	}
}

// within runs thresh with so much memory, and returns its output and how much it took at most of memory that is no
// file's.
func within(t *testing.T, dir string, mib int, args []string) (out string, peak int64) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("thresh", append(args, "--mem", strconv.Itoa(mib)+"MiB")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%d MiB: %v: %s", mib, err, stderr.String())
			}
			return stdout.String(), peak
		case <-time.After(time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if _, rest, ok := strings.Cut(string(status), "RssAnon:"); ok && err == nil {
			kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, err := strconv.ParseInt(kib, 10, 64)
			if err != nil {
				t.Error(err)
			}
			peak = max(peak, n<<10)
		}
	}
}
