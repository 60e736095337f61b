package limits

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// tick is the unit of the times in /proc/stat, for all programs that read it.
const tick = 10 * time.Millisecond

// systemBusyTime returns how long all processors have worked since the system was started.
func systemBusyTime() (busy time.Duration, known bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	return parseBusyTime(text)
}

// The columns of the first line of /proc/stat in which processors do not work.
const (
	columnIdle   = 3
	columnIOWait = 4
	columnGuest  = 8 // from here on, times that are part of others
)

// parseBusyTime reads the first line of /proc/stat.
func parseBusyTime(text []byte) (busy time.Duration, known bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	columns := bytes.Fields(line)
	if len(columns) < 1+columnGuest || string(columns[0]) != "cpu" {
		return 0, false
	}
	for i, column := range columns[1 : 1+columnGuest] {
		n, err := strconv.ParseInt(string(column), 10, 64)
		if err != nil {
			return 0, false
		}
		if i != columnIdle && i != columnIOWait {
			busy += time.Duration(n) * tick
		}
	}
	return busy, true
}
