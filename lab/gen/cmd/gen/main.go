// Command gen makes the data of package gen from the command line:
//
//	go run ./lab/gen/cmd/gen log --size 1500MB --seed 1 -o app.log
//	go run ./lab/gen/cmd/gen log --size 1GB --needle 'disk on fire' --at 999MB -o app.log
//	go run ./lab/gen/cmd/gen haystack --size 4GiB -o haystack.bin
//	go run ./lab/gen/cmd/gen image --size 1GiB --seed 7 -o disk.img
//	go run ./lab/gen/cmd/gen floats --size 2GiB --nan 1000,500000000 -o weights.bin
//
// Without -o it writes to standard output. Offsets of what was planted go to standard
// error. Units are those of powers of 1000 (kB MB GB) and of 1024 (KiB MiB GiB).
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/lab/gen"
)

func main() {
	if err := newCommand().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(2)
	}
}

// request is what all makers have in common, as typed.
type request struct {
	size   bytesValue
	seed   uint64
	output string
}

func (r *request) add(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.Var(&r.size, "size", "bytes to make: 4096, 1500MB, 4GiB")
	f.StringVarP(&r.output, "output", "o", "", "file to write (default: standard output)")
	if err := cmd.MarkFlagRequired("size"); err != nil {
		panic("gen: bug: " + err.Error()) // only for a flag that does not exist
	}
	return cmd
}

func (r *request) addSeed(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&r.seed, "seed", 1, "another seed makes other data")
}

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "gen", Short: "make big, realistic data", SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(newLog(), newHaystack(), newImage(), newFloats())
	return root
}

func newLog() *cobra.Command {
	var r request
	var needle string
	var at bytesValue
	cmd := &cobra.Command{
		Use: "log", Short: "an application's log", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var needles []gen.Needle
			if needle != "" {
				needles = []gen.Needle{{Off: int64(at), Text: needle}}
			}
			return r.write(cmd.OutOrStdout(), func(w io.Writer) error {
				places, err := gen.Log(w, int64(r.size), r.seed, needles...)
				for i, off := range places {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d %s\n", off, needles[i].Text)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&needle, "needle", "", "text to plant")
	cmd.Flags().Var(&at, "at", "plant it in the first line behind this offset")
	r.addSeed(cmd)
	return r.add(cmd)
}

func newHaystack() *cobra.Command {
	var r request
	cmd := &cobra.Command{
		Use: "haystack", Short: "really written zeros, and a last 8-byte word that is not zero", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if r.output == "" {
				return errors.New("haystack needs -o: it is there to be a file of written blocks")
			}
			return gen.Haystack(r.output, int64(r.size))
		},
	}
	return r.add(cmd)
}

func newImage() *cobra.Command {
	var r request
	cmd := &cobra.Command{
		Use: "image", Short: "a disk image: partitions, empty areas, files of many kinds", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.write(cmd.OutOrStdout(), func(w io.Writer) error {
				found, err := gen.Image(w, int64(r.size), r.seed)
				for _, s := range found {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d %s\n", s.Off, s.Kind)
				}
				return err
			})
		},
	}
	r.addSeed(cmd)
	return r.add(cmd)
}

func newFloats() *cobra.Command {
	var r request
	var nans []int64
	cmd := &cobra.Command{
		Use: "floats", Short: "float32 values, little endian", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.size%4 != 0 {
				return fmt.Errorf("--size %d is no multiple of the 4 bytes of a value", r.size)
			}
			return r.write(cmd.OutOrStdout(), func(w io.Writer) error {
				return gen.Floats(w, int64(r.size)/4, r.seed, nans...)
			})
		},
	}
	cmd.Flags().Int64SliceVar(&nans, "nan", nil, "indexes of values that are NaN, ascending")
	r.addSeed(cmd)
	return r.add(cmd)
}

// write hands the output to make. A file is on the storage when it returns; after an
// error none is left.
func (r *request) write(stdout io.Writer, make func(io.Writer) error) (err error) {
	if r.output == "" {
		w := bufio.NewWriter(stdout)
		return errors.Join(make(w), w.Flush())
	}
	f, err := os.Create(r.output)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(r.output))
		}
	}()
	if err := make(f); err != nil {
		return err
	}
	return f.Sync()
}

// bytesValue is a number of bytes as people write it.
type bytesValue int64

func (b *bytesValue) String() string { return fmt.Sprint(int64(*b)) }
func (b *bytesValue) Type() string   { return "bytes" }

func (b *bytesValue) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err == nil && n > math.MaxInt64 {
		err = errors.New("too large")
	}
	*b = bytesValue(n)
	return err
}
