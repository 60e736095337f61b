package identity

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileNumber returns a file's device and inode.
func fileNumber(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}

// addDevice adds what the system knows about a block device.
func addDevice(id *Identity, info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Number = fmt.Sprintf("%d:%d", unix.Major(uint64(stat.Rdev)), unix.Minor(uint64(stat.Rdev)))
		system{"/"}.describe(id)
	}
}

// system is the root of the file systems in which the kernel and udev describe devices; tests have
// one of their own.
type system struct{ root string }

// describe adds what sysfs, udev's database and the links of /dev/disk/by-id say about the device
// with a number. What is not there stays empty: not every device has a serial number.
func (s system) describe(id *Identity) {
	folder, err := filepath.EvalSymlinks(filepath.Join(s.root, "sys/dev/block", id.Number))
	if err != nil {
		return
	}
	id.Node = filepath.Base(folder)
	id.BackingFile = text(folder, "loop/backing_file")
	disk := folder
	if text(folder, "partition") != "" {
		id.Partition, disk = true, filepath.Dir(folder)
	}
	id.LogicalSector = number(disk, "queue/logical_block_size")
	id.PhysicalSector = number(disk, "queue/physical_block_size")
	id.Rotating = text(disk, "queue/rotational") == "1" && id.BackingFile == ""
	udev := s.udev(id.Number)
	id.Vendor = first(strings.TrimSpace(udev["ID_VENDOR"]), text(disk, "device/vendor"))
	id.Model = first(strings.ReplaceAll(udev["ID_MODEL"], "_", " "), text(disk, "device/model"), text(disk, "dm/name"))
	id.Serial = first(udev["ID_SERIAL_SHORT"], text(disk, "device/serial"), text(disk, "serial"), page80(disk))
	id.WWN = first(udev["ID_WWN_WITH_EXTENSION"], udev["ID_WWN"], text(disk, "wwid"), text(disk, "device/wwid"),
		text(disk, "dm/uuid"))
	id.Firmware = first(udev["ID_REVISION"], text(disk, "device/firmware_rev"), text(disk, "device/rev"))
	if strings.HasPrefix(id.Vendor, "0x") || id.Vendor == "ATA" {
		id.Vendor = "" // the number of the controller's maker, or the name of the protocol
	}
	id.Links = s.links(id.Node)
}

// text returns the content of a small file without space around it, "" if there is none.
func text(folder, name string) string {
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(strings.Trim(string(b), "\x00 \t\n"), "?")
}

func number(folder, name string) int {
	n, err := strconv.Atoi(text(folder, name))
	if err != nil {
		return 0
	}
	return n
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// page80 returns the serial number in a SCSI device's page 80h: a header of four bytes, then text.
func page80(disk string) string {
	b, err := os.ReadFile(filepath.Join(disk, "device/vpd_pg80"))
	if err != nil || len(b) <= 4 {
		return ""
	}
	return strings.ToValidUTF8(strings.Trim(string(b[4:]), "\x00 "), "?")
}

// udev returns the properties that udev has found out, by asking the device.
func (s system) udev(number string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text(filepath.Join(s.root, "run/udev/data"), "b"+number)) {
		if property, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "E:"); ok {
			key, value, _ := strings.Cut(property, "=")
			all[key] = value
		}
	}
	return all
}

// links returns the names in /dev/disk/by-id that point to a node.
func (s system) links(node string) (links []string) {
	folder := filepath.Join(s.root, "dev/disk/by-id")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(folder, e.Name())); err == nil && filepath.Base(target) == node {
			links = append(links, strings.ToValidUTF8(e.Name(), "?"))
		}
	}
	return links
}

// Claim opens a block device exclusively, as mount does, so that no other program can do so while it is read. It
// returns false if the device is in use already.
func Claim(path string) (claimed bool, release func() error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_EXCL|unix.O_CLOEXEC, 0)
	if err != nil {
		return err != unix.EBUSY, func() error { return nil } // other errors say nothing about its use
	}
	return true, func() error { return unix.Close(fd) }
}
