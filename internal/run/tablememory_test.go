package run

import "testing"

// TestTableMemory divides bounds of all sizes: the scan gets what it needs, the operators the rest, and more memory is
// never less for the scan.
func TestTableMemory(t *testing.T) {
	for _, workers := range []int{1, 2, 7, 64} {
		for _, operators := range []int64{0, mib / 2, 40 * mib} {
			m := tableMemory{workers: workers, worker: 2 * mib, operators: operators}
			before := int64(0)
			for bound := m.least(); bound < m.least()+1024*mib; bound += 3 * mib / 2 {
				scan := m.scan(bound)
				base := m.base(scan)
				if scan < max(m.leastScan(), before) || bound-scan < int64(workers)*operators {
					t.Fatalf("%d of %d workers with %d: the scan gets %d after %d", bound, workers, operators, scan, before)
				}
				if left := scan - base; left < m.leastScan()-m.base(0) {
					t.Fatalf("%d of %d workers with %d: %d of %d are left for workers", bound, workers, operators, left, scan)
				}
				before = scan
			}
		}
	}
}
