package compared

import "golang.org/x/sys/unix"

// threadFaults returns how many page faults that needed no storage the calling thread has taken. It
// returns false if the system does not tell.
func threadFaults() (int64, bool) {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &use); err != nil {
		return 0, false
	}
	return use.Minflt, true
}
