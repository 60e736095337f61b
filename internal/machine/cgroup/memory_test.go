package cgroup

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func TestAvailableBytes(t *testing.T) {
	const v1 = "30 20 0:26 / ROOT/memory rw - cgroup cgroup rw,memory\n"
	none := int64(math.MaxInt64)
	tests := []struct {
		name  string
		files map[string]string
		want  int64 // -1 for ErrNone
	}{
		{"version 2, limit on the group", map[string]string{
			"proc/cgroup": "0::/a\n", "proc/mountinfo": mountV2,
			"all/a/memory.max": "1000\n", "all/a/memory.current": "700\n",
			"all/a/memory.stat": "anon 400\nfile 300\ninactive_file 100\nactive_file 150\n",
		}, 1000 - 700 + 250},
		{"version 2, the parent has less", map[string]string{
			"proc/cgroup": "0::/a/b\n", "proc/mountinfo": mountV2,
			"all/a/memory.max": "500\n", "all/a/memory.current": "450\n",
			"all/a/memory.stat":  "inactive_file 10\nactive_file 0\n",
			"all/a/b/memory.max": "400\n", "all/a/b/memory.current": "100\n",
			"all/a/b/memory.stat": "inactive_file 0\nactive_file 0\n",
		}, 60},
		{"version 2, the group has less than its parent", map[string]string{
			"proc/cgroup": "0::/a/b\n", "proc/mountinfo": mountV2,
			"all/a/memory.max": "max\n", "all/a/memory.stat": "",
			"all/a/b/memory.max": "400\n", "all/a/b/memory.current": "390\n", "all/a/b/memory.stat": "",
		}, 10},
		{"version 2, over its limit", map[string]string{
			"proc/cgroup": "0::/a\n", "proc/mountinfo": mountV2,
			"all/a/memory.max": "1000\n", "all/a/memory.current": "1400\n", "all/a/memory.stat": "",
		}, 0},
		{"version 2, no limit", map[string]string{
			"proc/cgroup": "0::/a\n", "proc/mountinfo": mountV2,
			"all/a/memory.max": "max\n", "all/a/memory.stat": "",
		}, none},
		{"version 2 without the controller", map[string]string{
			"proc/cgroup": "0::/a\n", "proc/mountinfo": mountV2, "all/a/cpu.stat": "",
		}, -1},
		{"version 1, with children", map[string]string{
			"proc/cgroup": "4:memory:/a\n1:cpu:/\n0::/\n", "proc/mountinfo": mountV1 + v1,
			"memory/a/memory.limit_in_bytes": "1000\n", "memory/a/memory.usage_in_bytes": "900\n",
			"memory/a/memory.stat": "inactive_file 1\nactive_file 2\ntotal_inactive_file 30\ntotal_active_file 40\n",
		}, 170},
		{"version 1, no limit", map[string]string{
			"proc/cgroup": "4:memory:/a\n", "proc/mountinfo": v1,
			"memory/a/memory.limit_in_bytes": "9223372036854771712\n",
			"memory/a/memory.usage_in_bytes": "900\n", "memory/a/memory.stat": "",
		}, none},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := write(t, test.files)
			g, err := find(filepath.Join(root, "proc"), "memory")
			if test.want < 0 {
				if !errors.Is(err, ErrNone) {
					t.Fatalf("%v, %v instead of %v", g, err, ErrNone)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := g.AvailableBytes(); err != nil || got != test.want {
				t.Errorf("%d, %v instead of %d", got, err, test.want)
			}
		})
	}
}

func TestAvailableBytesOfDamagedFiles(t *testing.T) {
	for name, text := range map[string]string{
		"memory.max": "many", "memory.current": "1 2", "memory.stat": "inactive_file x",
	} {
		files := map[string]string{
			"proc/cgroup": "0::/a\n", "proc/mountinfo": mountV2,
			"all/a/memory.max": "1000\n", "all/a/memory.current": "7\n", "all/a/memory.stat": "",
		}
		files["all/a/"+name] = text
		root := write(t, files)
		g, err := find(filepath.Join(root, "proc"), "memory")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := g.AvailableBytes(); err == nil || !strings.Contains(err.Error(), root) {
			t.Errorf("%s %q: %d, %v", name, text, n, err)
		}
	}
}
