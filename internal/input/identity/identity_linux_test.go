package identity

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// tree writes files and links below a folder that stands for the root.
func tree(t *testing.T, files, links map[string]string) system {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	return system{root}
}

// TestDescribe reads what the kernel and udev say about devices of several kinds.
func TestDescribe(t *testing.T) {
	for name, c := range map[string]struct {
		files, links map[string]string
		number       string
		want         Identity
	}{
		"a SATA disk, with udev": {
			map[string]string{"sys/devices/ata1/block/sda/device/vendor": "ATA     \n", "sys/devices/ata1/block/sda/device/model": "EXAMPLE DISK 400\n",
				"sys/devices/ata1/block/sda/queue/rotational": "1\n", "sys/devices/ata1/block/sda/queue/logical_block_size": "512\n",
				"sys/devices/ata1/block/sda/queue/physical_block_size": "4096\n", "sys/devices/ata1/block/sda/device/rev": "0001\n",
				"run/udev/data/b8:0": "S:disk/by-id/x\nE:ID_MODEL=EXAMPLE_DISK_4000\nE:ID_SERIAL_SHORT=S3R1AL\nE:ID_WWN=0x5000c500\n"},
			map[string]string{"sys/dev/block/8:0": "../../devices/ata1/block/sda", "dev/disk/by-id/ata-EXAMPLE_S3R1AL": "../../sda",
				"dev/disk/by-id/ata-OTHER": "../../sdb"},
			"8:0",
			Identity{Node: "sda", Number: "8:0", Model: "EXAMPLE DISK 4000", Serial: "S3R1AL", WWN: "0x5000c500", Firmware: "0001",
				LogicalSector: 512, PhysicalSector: 4096, Rotating: true, Links: []string{"ata-EXAMPLE_S3R1AL"}},
		},
		"a SCSI disk, without": {
			map[string]string{"sys/devices/h/block/sdc/device/vendor": "EXAMPLE\n", "sys/devices/h/block/sdc/device/model": "MODEL 7  \n",
				"sys/devices/h/block/sdc/device/vpd_pg80": "\x00\x80\x00\x08 SER-80 ", "sys/devices/h/block/sdc/device/wwid": "naa.5000\n",
				"sys/devices/h/block/sdc/queue/rotational": "0\n"},
			map[string]string{"sys/dev/block/8:32": "../../devices/h/block/sdc"}, "8:32",
			Identity{Node: "sdc", Number: "8:32", Vendor: "EXAMPLE", Model: "MODEL 7", Serial: "SER-80", WWN: "naa.5000"},
		},
		"a partition of an NVMe drive": {
			map[string]string{"sys/devices/n/nvme0n1/nvme0n1p2/partition": "2\n", "sys/devices/n/nvme0n1/wwid": "eui.0025\n",
				"sys/devices/n/nvme0n1/device/model": "EXAMPLE NVME \n", "sys/devices/n/nvme0n1/device/serial": "N-1  \n",
				"sys/devices/n/nvme0n1/device/firmware_rev": "FW1\n", "sys/devices/n/nvme0n1/queue/logical_block_size": "4096\n"},
			map[string]string{"sys/dev/block/259:2": "../../devices/n/nvme0n1/nvme0n1p2"}, "259:2",
			Identity{Node: "nvme0n1p2", Number: "259:2", Partition: true, Model: "EXAMPLE NVME", Serial: "N-1", WWN: "eui.0025", Firmware: "FW1",
				LogicalSector: 4096},
		},
		"a virtio disk": {
			map[string]string{"sys/devices/v/vdb/serial": "vol-1", "sys/devices/v/vdb/device/vendor": "0x1af4\n"},
			map[string]string{"sys/dev/block/253:16": "../../devices/v/vdb"}, "253:16",
			Identity{Node: "vdb", Number: "253:16", Serial: "vol-1"},
		},
		"a loop device": {
			map[string]string{"sys/devices/l/loop3/loop/backing_file": "/img/a b.img\n", "sys/devices/l/loop3/queue/rotational": "1\n"},
			map[string]string{"sys/dev/block/7:3": "../../devices/l/loop3"}, "7:3",
			Identity{Node: "loop3", Number: "7:3", BackingFile: "/img/a b.img"},
		},
		"nothing known": {nil, nil, "1:1", Identity{Number: "1:1"}},
	} {
		got := Identity{Number: c.number}
		tree(t, c.files, c.links).describe(&got)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", name, got, c.want)
		}
		if known := c.want.Serial != ""; got.Known() != known {
			t.Errorf("%s: known %v", name, got.Known())
		}
	}
}

// TestKey: a disk with a serial number is the same in another bay; one without is not.
func TestKey(t *testing.T) {
	disk := Identity{Kind: "block device", Serial: "S", Node: "sda", Number: "8:0"}
	moved := disk
	moved.Node, moved.Number = "sdb", "8:16"
	if disk.Key() != moved.Key() {
		t.Error("a disk with a serial number is another one in another bay")
	}
	disk.Serial, moved.Serial = "", ""
	if disk.Key() == moved.Key() {
		t.Error("a disk without a serial number is the same in another bay")
	}
	moved = disk
	moved.Serial = "T"
	if disk.Key() == moved.Key() {
		t.Error("another serial number is the same disk")
	}
}
