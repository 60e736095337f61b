package limits

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sample() *Ceilings {
	c := &Ceilings{
		Format: Format, Taken: noon,
		Identity: Identity{
			Host: "h", System: "linux/amd64", Kernel: "6.18", CPU: "Some CPU", CPUs: 4,
			MaxProcs: 2, QuotaCPUs: 1.5, MemoryGiB: 24, ISA: "avx2,plain", Device: "8:1",
		},
		MemoryOne:       Figure{Median: 32.04, Spread: 0.08, Unit: gigabytes, Samples: 20},
		FaultSmall:      Figure{Median: 900, Spread: 0.1, Unit: nanoseconds, Samples: 9},
		FaultSmallBytes: 65536,
		ColdRead:        Figure{Median: 1.2, Spread: 0.6, Unit: gigabytes, Samples: 8, Noisy: true},
		Absent:          map[string]string{"direct_read": "no direct reads"},
	}
	for i, n := range openWorkers {
		rate := Figure{Median: float64(100000 * min(i+1, 3)), Unit: filesSecond, Samples: 5}
		c.Opens = append(c.Opens, Opens{Workers: n, Rate: rate})
	}
	return c
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "thresh")
	want := sample()
	for range 2 { // the second time it replaces the first
		if err := want.save(dir); err != nil {
			t.Fatal(err)
		}
	}
	got, err := load(filepath.Join(dir, want.Identity.fileName()), want.Identity, noon)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want one file", entries, err)
	}
}

func TestSaveLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	c := sample()
	// A folder in the place of the file cannot be replaced.
	if err := os.MkdirAll(filepath.Join(dir, c.Identity.fileName(), "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.save(dir); err == nil {
		t.Fatal("saving over a folder must fail")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want the folder only", entries, err)
	}
}

func TestLoadNone(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"format": 1, "memory`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "missing.json"), broken, dir} {
		if c, err := load(name, Identity{}, noon); !errors.Is(err, ErrNone) || c != nil {
			t.Errorf("load %s: %v, %v; want ErrNone", name, c, err)
		}
	}
}

func TestStale(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *Ceilings, now *Identity, at *time.Time)
		reason string // a part of it; empty for figures that hold
	}{
		{"at once", func(*Ceilings, *Identity, *time.Time) {}, ""},
		{"a week", func(_ *Ceilings, _ *Identity, at *time.Time) { *at = at.Add(maxAge) }, ""},
		{"older", func(_ *Ceilings, _ *Identity, at *time.Time) {
			*at = at.Add(maxAge + time.Second)
		}, "7 days old"},
		{"clock set back a little", func(_ *Ceilings, _ *Identity, at *time.Time) {
			*at = at.Add(-time.Minute)
		}, ""},
		{"clock set back", func(_ *Ceilings, _ *Identity, at *time.Time) {
			*at = at.Add(-2 * time.Hour)
		}, "future"},
		{"format", func(c *Ceilings, _ *Identity, _ *time.Time) { c.Format++ }, "format 3"},
		{"host", func(_ *Ceilings, now *Identity, _ *time.Time) { now.Host = "i" },
			"host changed from h to i"},
		{"system", func(_ *Ceilings, now *Identity, _ *time.Time) { now.System = "" }, "system"},
		{"kernel", func(_ *Ceilings, now *Identity, _ *time.Time) { now.Kernel = "7" },
			"kernel changed from 6.18 to 7"},
		{"CPU", func(_ *Ceilings, now *Identity, _ *time.Time) { now.CPU = "X" }, "processor"},
		{"CPUs", func(_ *Ceilings, now *Identity, _ *time.Time) { now.CPUs = 8 },
			"number of processors changed from 4 to 8"},
		{"GOMAXPROCS", func(_ *Ceilings, now *Identity, _ *time.Time) { now.MaxProcs = 4 },
			"GOMAXPROCS"},
		{"quota", func(_ *Ceilings, now *Identity, _ *time.Time) { now.QuotaCPUs = 0 }, "quota"},
		{"memory", func(_ *Ceilings, now *Identity, _ *time.Time) { now.MemoryGiB = 8 }, "memory"},
		{"ISA", func(_ *Ceilings, now *Identity, _ *time.Time) { now.ISA = "plain" }, "instruction"},
		{"device", func(_ *Ceilings, now *Identity, _ *time.Time) { now.Device = "8:2" }, "storage"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, c, at := t.TempDir(), sample(), noon
			now := c.Identity
			test.change(c, &now, &at)
			if err := c.save(dir); err != nil {
				t.Fatal(err)
			}
			got, err := load(filepath.Join(dir, c.Identity.fileName()), now, at)
			if got == nil {
				t.Fatalf("no figures: %v", err)
			}
			if test.reason == "" {
				if err != nil || got.StaleReason != "" {
					t.Errorf("%v, reason %q; want none", err, got.StaleReason)
				}
				return
			}
			if !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), test.reason) ||
				!strings.Contains(got.StaleReason, test.reason) {
				t.Errorf("%v, reason %q; want %q", err, got.StaleReason, test.reason)
			}
		})
	}
}

// Every field of the identity must matter; if differs forgets a new one, this fails.
func TestEveryFieldOfIdentityCounts(t *testing.T) {
	for i := range reflect.TypeFor[Identity]().NumField() {
		var now Identity
		switch field := reflect.ValueOf(&now).Elem().Field(i); field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Int:
			field.SetInt(7)
		case reflect.Float64:
			field.SetFloat(7)
		default:
			t.Fatalf("a field of kind %v", field.Kind())
		}
		if (Identity{}).differs(now) == "" {
			t.Errorf("field %s does not count", reflect.TypeFor[Identity]().Field(i).Name)
		}
	}
}

func TestFileNameOutlivesChanges(t *testing.T) {
	a := sample().Identity
	b := a
	b.Kernel, b.MaxProcs = "7", 1
	if a.fileName() != b.fileName() {
		t.Error("a changed machine must find its old file")
	}
	b.Device = "8:2"
	if a.fileName() == b.fileName() {
		t.Error("two devices must have two files")
	}
}

func TestSaveAndLoadInTheUsersCache(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, cache)
	}
	path := t.TempDir()
	if c, err := Load(path); !errors.Is(err, ErrNone) || c != nil {
		t.Fatalf("before anything was measured: %v, %v", c, err)
	}
	id, err := Identify(path)
	if err != nil {
		t.Fatal(err)
	}
	want := &Ceilings{Format: Format, Identity: id, Taken: time.Now().UTC().Round(0)}
	if err := want.Save(); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	want.Taken = want.Taken.Add(-maxAge - time.Hour)
	if err := want.Save(); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); !errors.Is(err, ErrStale) || got == nil {
		t.Errorf("a week later: %+v, %v; want ErrStale", got, err)
	}
}
