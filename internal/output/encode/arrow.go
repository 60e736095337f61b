package encode

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
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
	file     bool
	memBytes int64
	batch    *batch
	blocks   []arrowBlock
}

// arrowBlock is the place of a record batch in the file.
type arrowBlock struct {
	off      int64
	metadata int32
	body     int64
}

func newArrow(w io.Writer, o options.Writer) *arrowWriter {
	return &arrowWriter{output: newOutput(w), file: o.File, memBytes: o.MemoryBytes}
}

// Begin prepares a batch. The schema is written with the first batch, when the width of decimals
// is known.
func (a *arrowWriter) Begin(_ string, columns []answer.Column) (err error) {
	if a.batch != nil {
		return a.fail(errOneTable(options.FormatArrow))
	}
	if a.batch, err = newBatch(columns, a.memBytes); err != nil {
		return a.fail(err)
	}
	return a.err
}

// Row adds a row to the batch, and writes the batch when it is full.
func (a *arrowWriter) Row(values []answer.Cell) error {
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

// Constants of Arrow's Message.fbs, Schema.fbs and File.fbs. The code below refers to fields of
// their tables by number.
const (
	arrowV5 = 4

	headerSchema      = 1
	headerRecordBatch = 3

	typeInt     = 2
	typeFloat   = 3
	typeUtf8    = 5
	typeDecimal = 7

	precisionDouble = 2
)

// finish builds a message from its header.
func finish(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int64) []byte {
	b.StartObject(5)
	b.PrependInt64Slot(3, body, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt16Slot(0, arrowV5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// schema adds the names and types of the columns.
func (a *arrowWriter) schema(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	fields := make([]flatbuffers.UOffsetT, len(a.batch.columns))
	for i := range fields {
		c := &a.batch.columns[i]
		name := b.CreateString(c.Name)
		kind, typ := arrowType(b, c, a.batch.vectors[i].width)
		b.StartVector(4, 0, 4)
		children := b.EndVector(0)
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependBoolSlot(1, true, false) // nullable
		b.PrependByteSlot(2, kind, 0)
		b.PrependUOffsetTSlot(3, typ, 0)
		b.PrependUOffsetTSlot(5, children, 0)
		fields[i] = b.EndObject()
	}
	list := b.CreateVectorOfTables(fields)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	return b.EndObject()
}

func arrowType(b *flatbuffers.Builder, c *answer.Column, width int) (kind byte, typ flatbuffers.UOffsetT) {
	switch c.Type {
	case answer.ColumnInteger:
		b.StartObject(2)
		b.PrependInt32Slot(0, 64, 0)
		b.PrependBoolSlot(1, true, false) // signed
		return typeInt, b.EndObject()
	case answer.ColumnFloat:
		b.StartObject(1)
		b.PrependInt16Slot(0, precisionDouble, 0)
		return typeFloat, b.EndObject()
	case answer.ColumnDecimal:
		digits := digits128
		if width == 32 {
			digits = digits256
		}
		b.StartObject(3)
		b.PrependInt32Slot(0, int32(digits), 0)
		b.PrependInt32Slot(1, int32(c.Scale), 0)
		b.PrependInt32Slot(2, int32(8*width), 128)
		return typeDecimal, b.EndObject()
	}
	b.StartObject(0)
	return typeUtf8, b.EndObject()
}

// record adds the header of the batch, and returns it and the size of the buffers after it.
func (a *arrowWriter) record(b *flatbuffers.Builder) (header flatbuffers.UOffsetT, body int64) {
	vectors := a.batch.vectors
	type span struct{ off, bytes int64 }
	var spans []span
	for i := range vectors {
		for _, size := range vectors[i].sizes() {
			spans = append(spans, span{body, int64(size)})
			body += int64((size + 7) &^ 7)
		}
	}
	// Flatbuffers grow towards the front, so elements are added from the last to the first.
	b.StartVector(16, len(spans), 8)
	for i := len(spans) - 1; i >= 0; i-- {
		b.Prep(8, 16)
		b.PrependInt64(spans[i].bytes)
		b.PrependInt64(spans[i].off)
	}
	buffers := b.EndVector(len(spans))
	b.StartVector(16, len(vectors), 8)
	for i := len(vectors) - 1; i >= 0; i-- {
		b.Prep(8, 16)
		b.PrependInt64(int64(vectors[i].nulls))
		b.PrependInt64(int64(a.batch.rows))
	}
	nodes := b.EndVector(len(vectors))
	b.StartObject(4)
	b.PrependInt64Slot(0, int64(a.batch.rows), 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependUOffsetTSlot(2, buffers, 0)
	return b.EndObject(), body
}

// footer returns the table of contents of a file.
func (a *arrowWriter) footer() []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	schema := a.schema(b)
	b.StartVector(24, len(a.blocks), 8)
	for i := len(a.blocks) - 1; i >= 0; i-- {
		block := a.blocks[i]
		b.Prep(8, 24)
		b.PrependInt64(block.body)
		b.Pad(4)
		b.PrependInt32(block.metadata)
		b.PrependInt64(block.off)
	}
	batches := b.EndVector(len(a.blocks))
	b.StartVector(24, 0, 8)
	dictionaries := b.EndVector(0)
	b.StartObject(5)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, dictionaries, 0)
	b.PrependUOffsetTSlot(3, batches, 0)
	b.PrependInt16Slot(0, arrowV5, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}
