package limits

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestText(t *testing.T) {
	c := sample()
	c.StaleReason = "they are 8 days old"
	got := c.Text(noon.Add(8 * 24 * time.Hour))
	for _, want := range []string{
		"Some CPU, 4 CPUs, 2 workers, quota 1.50, 24 GiB, linux/amd64 6.18, device 8:1\n",
		"measured 8 days ago\nstale: they are 8 days old\n\n",
		"\nmemory read, one worker         32.0 GB/s       ± 4 %\n",
		"\npage fault, small pages         900 ns          ± 5 %   maps 64 KiB\n",
		"\nstorage, direct reads           -                       no direct reads\n",
		"\nstorage, buffered reads         1.20 GB/s       ± 30 %  noisy\n",
		"\nfiles opened, workers: 2        200000 files/s  ± 0 %\n",
		"\nfiles opened, workers: 4        300000 files/s  ± 0 %   best\n",
		"\nfiles opened, workers: 16       300000 files/s  ± 0 %\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the text lacks %q:\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("a space ends the line %q", line)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "a minute ago",
		119 * time.Minute: "119 minutes ago", 2 * time.Hour: "2 hours ago",
		47 * time.Hour: "47 hours ago", 48 * time.Hour: "2 days ago",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%v) = %q, want %q", d, got, want)
		}
	}
}

// The names in Absent are those of the JSON, so that a program can look them up.
func TestRowKeysAreJSONNames(t *testing.T) {
	c := new(Ceilings)
	for _, r := range c.rows() {
		*r.figure = Figure{Samples: 1}
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.rows() {
		if !strings.Contains(string(fields[r.key]), `"samples":1`) {
			t.Errorf("no figure %q in %s", r.key, text)
		}
	}
}

func TestBestOpeners(t *testing.T) {
	tests := []struct {
		rates []float64
		want  int
	}{
		{nil, 0},
		{[]float64{0, 0, 0}, 0},
		{[]float64{100, 190, 195, 180}, 2}, // a gain of a fortieth is none
		{[]float64{100, 90, 80, 70}, 1},
		{[]float64{100, 200, 400, 800, 900}, 16},
	}
	for _, test := range tests {
		var c Ceilings
		for i, rate := range test.rates {
			c.Opens = append(c.Opens, Opens{openWorkers[i], Figure{Median: rate}})
		}
		if got := c.BestOpeners(); got != test.want {
			t.Errorf("%v: got %d, want %d", test.rates, got, test.want)
		}
	}
}
