//go:build !linux

package wall

import "time"

// Take reads the clock. These systems have no counters that tell where the time went.
func Take() (Snapshot, error) {
	return Snapshot{at: time.Now(), totals: Counters{
		Missing: []Missing{{Why: "processor time, page faults and bytes read: counted on Linux only"}},
	}}, nil
}

// TakeThread reads the clock.
func TakeThread() Thread { return Thread{Busy: time.Duration(time.Now().UnixNano())} }
