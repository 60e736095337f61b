package command

import (
	"os"
	"strings"
	"time"
)

// LocalZone returns the name of this machine's zone: as TZ has it, or the file that /etc/localtime is a link to, or
// else its present offset.
func LocalZone() string {
	if zone, ok := os.LookupEnv("TZ"); ok {
		if zone = strings.TrimPrefix(zone, ":"); zone == "" {
			return "UTC"
		}
		return zone
	}
	if file, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(file, "/zoneinfo/"); ok {
			return strings.TrimPrefix(name, "Etc/")
		}
	}
	return time.Now().Format("MST -07:00")
}
