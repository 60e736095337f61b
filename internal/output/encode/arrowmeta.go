package encode

import (
	flatbuffers "github.com/google/flatbuffers/go"
)

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

func arrowType(b *flatbuffers.Builder, c *Column, width int) (kind byte, typ flatbuffers.UOffsetT) {
	switch c.Type {
	case Integer:
		b.StartObject(2)
		b.PrependInt32Slot(0, 64, 0)
		b.PrependBoolSlot(1, true, false) // signed
		return typeInt, b.EndObject()
	case Float:
		b.StartObject(1)
		b.PrependInt16Slot(0, precisionDouble, 0)
		return typeFloat, b.EndObject()
	case Decimal:
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
