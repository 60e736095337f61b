package versus

import (
	"errors"
	"reflect"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

func TestParseReceipt(t *testing.T) {
	const good = `{"bytes":4294967296,"seconds":0.1,"wall":"memory","verdict":"memory 95 %","parts":` +
		`[{"name":"memory","share":0.95,"low":0.9}],"kernel":"avx512"}` + "\n"
	got, err := parseReceipt("thresh: note: something\n{\"other\":1}\n" + good)
	want := receipt{Bytes: 4 << 30, Seconds: 0.1, Verdict: "memory 95 %", Parts: []lab.Part{{Name: "memory", Share: 0.95}},
		Kernel: "avx512"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("receipt %+v, error %v", got, err)
	}
	for _, bad := range []string{"", "no object", "{broken", `{"wall":"memory"}`, `{"bytes":5,"seconds":0}`} {
		if r, err := parseReceipt(bad); err == nil {
			t.Errorf("no error for %q, but %+v", bad, r)
		}
	}
}

func TestParseOwnMemory(t *testing.T) {
	got, err := parseOwnMemory([]byte("Name:\tthresh\nVmHWM:\t 9000 kB\nRssAnon:\t     100 kB\nRssFile:\t 8000 kB\nRssShmem:\t 4 kB\n"))
	if err != nil || got != 104<<10 {
		t.Errorf("%d bytes, error %v", got, err)
	}
	if _, err := parseOwnMemory([]byte("Name:\tthresh\nState:\tZ (zombie)\n")); !errors.Is(err, errNoMemory) {
		t.Errorf("error %v for a process that has ended", err)
	}
	if _, err := parseOwnMemory([]byte("RssAnon:\t lots\n")); err == nil || errors.Is(err, errNoMemory) {
		t.Errorf("error %v for a value that is not a number", err)
	}
}

func TestParseCalls(t *testing.T) {
	const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ------------------
 90.12    0.231034          56      4096        12 sendfile
  5.00    0.010000           1        10           write
  3.00    0.010000           1       700           epoll_pwait
  1.88    0.010000           1         4         4 read
------ ----------- ----------- --------- --------- ------------------
100.00    0.261034          54      4810        16 total
`
	data, all, err := parseCalls("strace: a warning\n" + table)
	if err != nil || data != 4110 || all != 4810 {
		t.Errorf("%d of %d calls move data, error %v", data, all, err)
	}
	for _, bad := range []string{"", "100.00 0.2 54 48 16 total", " 1.0 0.1 1 x read", " 1.0 0.1 1 7 futex"} {
		if data, _, err := parseCalls(bad); err == nil {
			t.Errorf("no error for %q, but %d", bad, data)
		}
	}
}

func TestParseWrk(t *testing.T) {
	good := "Running 2s test\n" + `wrk did {"requests":1000,"bytes":4300000,"microseconds":2000100,"errors":0}` + "\n"
	want := requested{Requests: 1000, Bytes: 4300000, Micros: 2000100}
	if got, err := parseWrk(good, 4096); err != nil || got != want {
		t.Errorf("%+v, error %v", got, err)
	}
	for _, bad := range []string{
		"", "wrk did", "wrk did nothing",
		`wrk did {"requests":0,"bytes":0,"microseconds":2000100,"errors":0}`,
		`wrk did {"requests":1000,"bytes":4300000,"microseconds":2000100,"errors":1}`,
		`wrk did {"requests":1000,"bytes":4000000,"microseconds":2000100,"errors":0}`,
		`wrk did {"requests":1000,"bytes":9000000,"microseconds":2000100,"errors":0}`,
	} {
		if got, err := parseWrk(bad, 4096); err == nil {
			t.Errorf("no error for %q, but %+v", bad, got)
		}
	}
}
