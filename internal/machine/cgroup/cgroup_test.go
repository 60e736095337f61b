package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// write creates the files of a proc folder and a hierarchy; ROOT in a text is replaced by the
// temporary folder.
func write(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("control groups have slash paths")
	}
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "ROOT", root)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	mountV1 = "30 20 0:26 / ROOT/cpu rw,relatime shared:7 - cgroup cgroup rw,cpu,cpuacct\n"
	mountV2 = "31 20 0:27 / ROOT/all rw,relatime - cgroup2 cgroup2 rw\n"
)

func TestGroup(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		dir   string // below the temporary folder; empty for ErrNone
		quota float64
		want  Throttle
	}{
		{
			name: "version 1, quota on the group",
			files: map[string]string{
				"proc/cgroup":             "3:memory:/\n1:cpu,cpuacct:/a\n0::/\n",
				"proc/mountinfo":          mountV1,
				"cpu/a/cpu.stat":          "nr_periods 9\nnr_throttled 3\nthrottled_time 5000000\n",
				"cpu/a/cpu.cfs_quota_us":  "20000\n",
				"cpu/a/cpu.cfs_period_us": "100000\n",
			},
			dir: "cpu/a", quota: 0.2, want: Throttle{3, 5 * time.Millisecond},
		},
		{
			name: "version 1 without quota",
			files: map[string]string{
				"proc/cgroup":           "1:cpu:/\n",
				"proc/mountinfo":        mountV1,
				"cpu/cpu.stat":          "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
				"cpu/cpu.cfs_quota_us":  "-1\n",
				"cpu/cpu.cfs_period_us": "100000\n",
			},
			dir: "cpu",
		},
		{
			name: "version 2, the parent's quota is smaller",
			files: map[string]string{
				"proc/cgroup":      "0::/a/b\n",
				"proc/mountinfo":   mountV2,
				"all/a/cpu.max":    "150000 100000\n",
				"all/a/b/cpu.max":  "400000 100000\n",
				"all/a/b/cpu.stat": "usage_usec 7\nnr_throttled 2\nthrottled_usec 8000\n",
			},
			dir: "all/a/b", quota: 1.5, want: Throttle{2, 8 * time.Millisecond},
		},
		{
			name: "version 2, the quota in the middle is the smallest",
			files: map[string]string{
				"proc/cgroup":        "0::/a/b/c\n",
				"proc/mountinfo":     mountV2,
				"all/cpu.max":        "900000 100000\n",
				"all/a/cpu.max":      "500000 100000\n",
				"all/a/b/cpu.max":    "300000 200000\n",
				"all/a/b/c/cpu.max":  "400000 100000\n",
				"all/a/b/c/cpu.stat": "usage_usec 7\n",
			},
			dir: "all/a/b/c", quota: 1.5,
		},
		{
			name: "version 2, the group's own quota is the smallest",
			files: map[string]string{
				"proc/cgroup":      "0::/a/b\n",
				"proc/mountinfo":   mountV2,
				"all/a/cpu.max":    "400000 100000\n",
				"all/a/b/cpu.max":  "150000 100000\n",
				"all/a/b/cpu.stat": "usage_usec 7\n",
			},
			dir: "all/a/b", quota: 1.5,
		},
		{
			name: "a quota above the mount's root is another's",
			files: map[string]string{
				"proc/cgroup":    "0::/a\n",
				"proc/mountinfo": mountV2,
				"cpu.max":        "10000 100000\n",
				"all/a/cpu.max":  "200000 100000\n",
				"all/a/cpu.stat": "usage_usec 7\n",
			},
			dir: "all/a", quota: 2,
		},
		{
			name: "a path outside of what the mount shows",
			files: map[string]string{
				"proc/cgroup":        "1:cpu:/x\n",
				"proc/mountinfo":     strings.NewReplacer("0:26 /", "0:26 /docker/77", "ROOT/cpu", "ROOT/d/e/cpu").Replace(mountV1),
				"d/x/cpu.stat":       "nr_throttled 7\nthrottled_time 7\n",
				"d/e/cpu/cpu.stat":   "nr_throttled 1\nthrottled_time 9\n",
				"d/e/cpu/x/cpu.stat": "nr_throttled 3\nthrottled_time 3\n",
			},
			dir: "d/e/cpu", want: Throttle{1, 9},
		},
		{
			name: "a path that is the parent of what the mount shows",
			files: map[string]string{
				"proc/cgroup":    "1:cpu:/docker\n",
				"proc/mountinfo": strings.NewReplacer("0:26 /", "0:26 /docker/77", "ROOT/cpu", "ROOT/d/cpu").Replace(mountV1),
				"d/cpu.stat":     "nr_throttled 7\nthrottled_time 7\n",
				"d/cpu/cpu.stat": "nr_throttled 1\nthrottled_time 9\n",
			},
			dir: "d/cpu", want: Throttle{1, 9},
		},
		{
			name: "a group whose name begins with two dots",
			files: map[string]string{
				"proc/cgroup":      "1:cpu:/..x\n",
				"proc/mountinfo":   mountV1,
				"cpu/cpu.stat":     "nr_throttled 7\nthrottled_time 7\n",
				"cpu/..x/cpu.stat": "nr_throttled 1\nthrottled_time 9\n",
			},
			dir: "cpu/..x", want: Throttle{1, 9},
		},
		{
			name: "version 2 without quota",
			files: map[string]string{
				"proc/cgroup":    "0::/a\n",
				"proc/mountinfo": mountV2,
				"all/a/cpu.max":  "max 100000\n",
				"all/a/cpu.stat": "usage_usec 7\n",
			},
			dir: "all/a",
		},
		{
			name: "a container sees its group as the mount's root",
			files: map[string]string{
				"proc/cgroup":     "1:cpu:/docker/77\n",
				"proc/mountinfo":  strings.Replace(mountV1, "0:26 /", "0:26 /docker/77", 1),
				"cpu/cpu.stat":    "nr_throttled 1\nthrottled_time 9\n",
				"cpu/docker/note": "",
			},
			dir: "cpu", want: Throttle{1, 9},
		},
		{
			name:  "no controller",
			files: map[string]string{"proc/cgroup": "0::/\n", "proc/mountinfo": mountV1},
		},
		{
			name:  "no proc",
			files: map[string]string{"empty": ""},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := write(t, test.files)
			g, err := find(filepath.Join(root, "proc"), "cpu")
			if test.dir == "" {
				if !errors.Is(err, ErrNone) {
					t.Fatalf("find: %v, want ErrNone", err)
				}
				return
			}
			if err != nil || g.Dir != filepath.Join(root, test.dir) {
				t.Fatalf("find: %+v, %v; want the folder %s", g, err, test.dir)
			}
			if quota, err := g.QuotaCPUs(); err != nil || quota != test.quota {
				t.Errorf("quota %v, %v; want %v", quota, err, test.quota)
			}
			if got, err := g.Throttled(); err != nil || got != test.want {
				t.Errorf("throttled %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestBrokenFiles(t *testing.T) {
	root := write(t, map[string]string{
		"a/cpu.max": "many 100000\n", "a/cpu.stat": "nr_throttled soon\n",
		"b/cpu.max": "5 0\n",
	})
	g := Group{Version: 2, Dir: filepath.Join(root, "a"), root: root}
	if _, err := g.QuotaCPUs(); err == nil {
		t.Error("a quota that is no number must be an error")
	}
	if _, err := g.Throttled(); err == nil {
		t.Error("a count that is no number must be an error")
	}
	if _, err := (Group{Version: 2, Dir: filepath.Join(root, "b")}).QuotaCPUs(); err == nil {
		t.Error("a period of nothing must be an error")
	}
}
