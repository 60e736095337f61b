package encode

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// arrowRows is the number of rows of a record batch.
var arrowRows = threshold.New("output: rows of an Arrow batch", 64<<10, 1)

const arrowMagic = "ARROW1"

// arrowWriter writes Arrow's IPC format. The schema and each batch are messages: a flatbuffer,
// followed by the buffers that it describes, padded to 8 bytes. The file format is the stream
// between two magic words, with a footer that lists where the batches are.
//
// The official library could do this, but its package initialization would slow down every start
// of the program, even of thresh find. Only a few kinds of messages are needed here.
type arrowWriter struct {
	output
	file   bool
	batch  *batch
	blocks []arrowBlock
}

// arrowBlock is the place of a record batch in the file.
type arrowBlock struct {
	off      int64
	metadata int32
	body     int64
}

func newArrow(w io.Writer, file bool) *arrowWriter {
	return &arrowWriter{output: newOutput(w), file: file}
}

// Begin prepares a batch. The schema is written with the first batch, when the width of decimals
// is known.
func (a *arrowWriter) Begin(_ string, columns []Column) (err error) {
	if a.batch != nil {
		return a.fail(errOneTable(FormatArrow))
	}
	if a.batch, err = newBatch(columns); err != nil {
		return a.fail(err)
	}
	return a.err
}

// Row adds a row to the batch, and writes the batch when it is full.
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

// End writes the last batch, the end of the stream and, in a file, the footer.
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

// write writes the batch. Before the first batch, it writes the schema.
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

// message appends the length of a message's metadata and the metadata, padded. It returns the
// number of appended bytes.
func (a *arrowWriter) message(metadata []byte) int {
	size := (len(metadata) + 7) &^ 7
	a.buf = binary.LittleEndian.AppendUint32(a.buf, continuation)
	a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(size))
	a.buf = append(a.buf, metadata...)
	a.buf = append(a.buf, zeros[:size-len(metadata)]...)
	return 8 + size
}

// continuation precedes the length of every message.
const continuation = 0xffffffff

// buffers appends the buffers of a column: validity bits, offsets of texts, values.
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

// sizes returns the sizes of a column's buffers in bytes, in the order of buffers.
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
