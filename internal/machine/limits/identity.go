package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Identity is what figures depend on. Values are empty if the system does not provide them.
type Identity struct {
	Host      string  `json:"host,omitzero"`
	System    string  `json:"system"`          // operating system and architecture
	Kernel    string  `json:"kernel,omitzero"` // its release
	CPU       string  `json:"cpu,omitzero"`    // model name
	CPUs      int     `json:"cpus"`
	MaxProcs  int     `json:"maxprocs"`            // GOMAXPROCS
	QuotaCPUs float64 `json:"quota_cpus,omitzero"` // of the control group, 0 for none
	MemoryGiB int     `json:"memory_gib,omitzero"`
	ISA       string  `json:"isa"`             // instruction sets of the kernels, best first
	Device    string  `json:"device,omitzero"` // number of the storage device of the path
}

// Identify returns the identity of this machine and of the storage device of path.
func Identify(path string) (Identity, error) {
	if path == "" {
		path = "."
	}
	device, err := deviceOf(path)
	if err != nil {
		return Identity{}, fmt.Errorf("storage device of %s: %w", path, err)
	}
	id := Identity{
		System:    runtime.GOOS + "/" + runtime.GOARCH,
		CPU:       cpuModel(),
		CPUs:      runtime.NumCPU(),
		MaxProcs:  runtime.GOMAXPROCS(0),
		MemoryGiB: int((memoryBytes() + 1<<29) >> 30),
		Kernel:    kernelRelease(),
		ISA:       instructionSets(),
		Device:    device,
	}
	// If there is no host name, or no control group, the name or quota is empty. It will be empty
	// the next time too.
	if host, err := os.Hostname(); err == nil {
		id.Host = host
	}
	if group, err := cgroup.Find(); err == nil {
		if quota, err := group.QuotaCPUs(); err == nil {
			id.QuotaCPUs = quota
		}
	}
	return id, nil
}

func instructionSets() string {
	var names []string
	for _, isa := range []cpu.ISA{cpu.AVX512, cpu.AVX2, cpu.SVE, cpu.NEON, cpu.Plain} {
		if cpu.Has(isa) {
			names = append(names, isa.String())
		}
	}
	return strings.Join(names, ",")
}

// differs returns what changed from the measured identity to the current one, in words, or "".
func (i Identity) differs(now Identity) string {
	for _, field := range []struct {
		name     string
		was, now any
	}{
		{"host", i.Host, now.Host},
		{"system", i.System, now.System},
		{"kernel", i.Kernel, now.Kernel},
		{"processor", i.CPU, now.CPU},
		{"number of processors", i.CPUs, now.CPUs},
		{"GOMAXPROCS", i.MaxProcs, now.MaxProcs},
		{"processor quota", i.QuotaCPUs, now.QuotaCPUs},
		{"GiB of memory", i.MemoryGiB, now.MemoryGiB},
		{"instruction sets", i.ISA, now.ISA},
		{"storage device", i.Device, now.Device},
	} {
		if field.was != field.now {
			return fmt.Sprintf("%s changed from %v to %v", field.name, field.was, field.now)
		}
	}
	return ""
}

// fileName is the name of the file that stores the figures. It depends only on the host and the
// storage device, so that a changed machine finds, and then replaces, its old file.
func (i Identity) fileName() string {
	sum := sha256.Sum256([]byte(i.Host + "\x00" + i.Device))
	return "limits-" + hex.EncodeToString(sum[:6]) + ".json"
}
