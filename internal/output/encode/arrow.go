package encode

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// arrowRows is how many rows a record batch has.
var arrowRows = threshold.New("present: rows of an Arrow batch", 64<<10, 1)

const arrowMagic = "ARROW1"

// arrowWriter writes Arrow's IPC format: the schema and each batch as a message, which is a
// flatbuffer and, padded to 8 bytes, the buffers that it describes. The file format is the
// stream between two magic words, with a footer that says where the batches are.
//
// The official library would do this too; but what its packages initialize would slow down
// every start of the program, of thresh find as well, for the few messages needed here.
type arrowWriter struct {
	output
	file   bool
	batch  *batch
	blocks []arrowBlock
}

// arrowBlock is where a record batch lies in the file.
type arrowBlock struct {
	off      int64
	metadata int32
	body     int64
}

func newArrow(w io.Writer, file bool) *arrowWriter {
	return &arrowWriter{output: newOutput(w), file: file}
}

// Begin prepares a batch. The schema is written with the first one, when the width of
// decimals is known.
func (a *arrowWriter) Begin(_ string, columns []Column) (err error) {
	if a.batch != nil {
		return a.fail(errOneTable(FormatArrow))
	}
	if a.batch, err = newBatch(columns); err != nil {
		return a.fail(err)
	}
	return a.err
}

// Row adds a row to the batch, which goes out when it is full.
func (a *arrowWriter) Row(values []Value) error {
	if a.err != nil {
		return a.err
	}
	if err := a.batch.add(values); err != nil {
		return a.fail(err)
	}
	if a.batch.full(arrowRows.Get()) {
		return a.write()
	}
	return nil
}

// End writes the last batch and what ends the stream.
func (a *arrowWriter) End(notes []string) error {
	if a.err != nil {
		return a.err
	}
	if a.batch.rows > 0 || !a.batch.settled {
		a.write()
	}
	a.buf = binary.LittleEndian.AppendUint32(a.buf, continuation)
	a.buf = binary.LittleEndian.AppendUint32(a.buf, 0)
	if a.file {
		footer := a.footer()
		a.buf = append(a.buf, footer...)
		a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(len(footer)))
		a.buf = append(a.buf, arrowMagic...)
	}
	a.notes = append(append(a.notes, notes...), a.batch.notes()...)
	return a.flush()
}

// write sends the batch, behind the schema if it is the first.
func (a *arrowWriter) write() error {
	if !a.batch.settled {
		a.batch.settled = true
		if a.file {
			a.buf = append(a.buf, arrowMagic+"\x00\x00"...)
		}
		b := flatbuffers.NewBuilder(1 << 10)
		schema := a.schema(b)
		a.message(finish(b, headerSchema, schema, 0))
	}
	if a.batch.rows > 0 {
		off := a.off + int64(len(a.buf))
		b := flatbuffers.NewBuilder(1 << 10)
		header, body := a.record(b)
		size := a.message(finish(b, headerRecordBatch, header, body))
		for i := range a.batch.vectors {
			a.buffers(&a.batch.vectors[i])
			if err := a.spill(); err != nil {
				return err
			}
		}
		a.blocks = append(a.blocks, arrowBlock{off, int32(size), body})
	}
	a.batch.reset()
	return a.flush()
}

// message appends a message's metadata, padded, behind its length; and returns all their bytes.
func (a *arrowWriter) message(metadata []byte) int {
	size := (len(metadata) + 7) &^ 7
	a.buf = binary.LittleEndian.AppendUint32(a.buf, continuation)
	a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(size))
	a.buf = append(a.buf, metadata...)
	a.buf = append(a.buf, zeros[:size-len(metadata)]...)
	return 8 + size
}

// continuation stands before the length of every message.
const continuation = 0xffffffff

// buffers appends the buffers of a column: which values are there, where texts end, values.
func (a *arrowWriter) buffers(v *vector) {
	if v.nulls > 0 {
		a.padded(v.valid)
	}
	if v.width == 0 {
		start := len(a.buf)
		a.buf = binary.LittleEndian.AppendUint32(a.buf, 0)
		for _, end := range v.ends {
			a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(end))
		}
		a.buf = append(a.buf, zeros[:-(len(a.buf)-start)&7]...)
	}
	a.padded(v.data)
}

func (a *arrowWriter) padded(data []byte) {
	a.buf = append(a.buf, data...)
	a.buf = append(a.buf, zeros[:-len(data)&7]...)
}

// sizes returns the bytes of a column's buffers, in their order.
func (v *vector) sizes() []int {
	valid := 0
	if v.nulls > 0 {
		valid = len(v.valid)
	}
	if v.width == 0 {
		return []int{valid, 4 * (len(v.ends) + 1), len(v.data)}
	}
	return []int{valid, len(v.data)}
}
