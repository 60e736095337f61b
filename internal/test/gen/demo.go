package gen

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
)

// Declined is a line that occurs once in logs of the demo.
const Declined = "2026-01-02T09:41:07.113Z ERROR billing req=7f3a9c01 user=555000111 card declined, retry 3 of 3"

// Demo writes the files that the documentation asks about, half a gigabyte, into a folder.
func Demo(folder string) error {
	for _, file := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"app.log", func(w io.Writer) error { return Log(w, 100_000_000, 1, Line{Off: 99_000_000, Text: Declined}) }},
		{"orders.csv", func(w io.Writer) error { return Orders(w, 20_000_000, 1) }},
		{"itcont.txt", func(w io.Writer) error { return Donations(w, 20_000_000, 1) }},
		{"measurements.txt", func(w io.Writer) error { return Measurements(w, 1_000_000, 1, Stations{}) }},
		{"export.json", func(w io.Writer) error { return JSON(w, 10_000_000, 1) }},
		{"weights.bin", func(w io.Writer) error { return Floats(w, 1_000_000, 1, 990_000) }},
		{"usb.img", func(w io.Writer) error { return Disk(w, 16_000_000, 1) }},
		{"blank.img", func(w io.Writer) error { _, err := w.Write(make([]byte, 64<<20)); return err }},
		{"model.safetensors", model},
	} {
		f, err := os.Create(filepath.Join(folder, file.name))
		if err != nil {
			return err
		}
		if err := errors.Join(file.write(f), f.Close()); err != nil {
			return err
		}
	}
	return Haystack(filepath.Join(folder, "wiped.img"), 256<<20)
}

// model writes two tensors, one of which has a NaN at [2,1].
func model(w io.Writer) error {
	header := `{"embed.weight":{"dtype":"BF16","shape":[4,3],"data_offsets":[0,24]},` +
		`"norm.weight":{"dtype":"F32","shape":[3],"data_offsets":[24,36]}}   `
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range 12 {
		bits := uint16(0x3f80)
		if i == 2*3+1 {
			bits = 0x7fc0
		}
		b = binary.LittleEndian.AppendUint16(b, bits)
	}
	for range 3 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(1))
	}
	_, err := w.Write(b)
	return err
}
