package encode

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// parquetRows is the number of rows of a row group, which is the reader's unit of parallel work.
var parquetRows = threshold.New("output: rows of a Parquet row group", 128<<10, 1)

const parquetMagic = "PAR1"

// parquetWriter writes Parquet: row groups with one page per column. Values have the plain
// encoding and are compressed with zstd; the statistics are the number of nulls, the minimum and
// the maximum. At the end it writes the footer that describes all row groups.
//
// The official library could do this, but it imports gRPC and compute kernels, whose
// initialization takes longer than many runs of this program.
type parquetWriter struct {
	output
	memBytes   int64
	batch      *batch
	zstd       *zstd.Encoder
	page       []byte // of one column, as it is before compression
	compressed []byte
	groups     thrift // the row groups of the footer
	count      int
	rows       int64
}

func newParquet(w io.Writer, o options.Writer) *parquetWriter {
	return &parquetWriter{output: newOutput(w), memBytes: o.MemoryBytes}
}

// Begin prepares a row group.
func (p *parquetWriter) Begin(_ string, columns []answer.Column) (err error) {
	if p.batch != nil {
		return p.fail(errOneTable(options.FormatParquet))
	}
	if p.batch, err = newBatch(columns, p.memBytes); err != nil {
		return p.fail(err)
	}
	p.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return p.fail(err)
	}
	p.buf = append(p.buf, parquetMagic...)
	return p.err
}

// Row adds a row to the group, and writes the group when it is full.
func (p *parquetWriter) Row(values []answer.Cell) error {
	if p.err != nil {
		return p.err
	}
	if err := p.batch.add(values); err != nil {
		return p.fail(err)
	}
	if p.batch.full(parquetRows.Get()) {
		return p.write()
	}
	return nil
}

// End writes the last row group and the footer.
func (p *parquetWriter) End(notes []string) error {
	if p.err != nil {
		return p.err
	}
	if p.batch.rows > 0 {
		p.write()
	}
	footer := p.footer()
	p.buf = append(p.buf, footer...)
	p.buf = binary.LittleEndian.AppendUint32(p.buf, uint32(len(footer)))
	p.buf = append(p.buf, parquetMagic...)
	p.notes = append(append(p.notes, notes...), p.batch.notes()...)
	return p.flush()
}

func errOneTable(f options.Format) error {
	return fmt.Errorf("%s holds one table: ask one question, or use Writer.Format json", f)
}

// write writes the batch as a row group.
func (p *parquetWriter) write() error {
	p.batch.settled = true
	t := &p.groups
	t.open(0)
	t.list(1, thriftStruct, len(p.batch.columns))
	start := p.off + int64(len(p.buf))
	plain := int64(0)
	for i := range p.batch.columns {
		plain += p.column(t, i)
		if err := p.spill(); err != nil {
			return err
		}
	}
	t.i64(2, plain)
	t.i64(3, int64(p.batch.rows))
	t.i64(5, start)
	t.i64(6, p.off+int64(len(p.buf))-start)
	t.close()
	p.count++
	p.rows += int64(p.batch.rows)
	p.batch.reset()
	return p.flush()
}

// column appends a column's page to the output and its metadata to t. It returns the size of the
// page without compression.
func (p *parquetWriter) column(t *thrift, i int) int64 {
	v := &p.batch.vectors[i]
	rows := p.batch.rows
	p.page = v.appendPage(p.page[:0], rows)
	p.compressed = p.zstd.EncodeAll(p.page, p.compressed[:0])

	var header thrift
	header.open(0)
	header.i32(1, pageData)
	header.i32(2, len(p.page))
	header.i32(3, len(p.compressed))
	header.open(5)
	header.i32(1, rows)
	header.i32(2, encodingPlain)
	header.i32(3, encodingRLE)
	header.i32(4, encodingRLE)
	header.close()
	header.close()

	off := p.off + int64(len(p.buf))
	plain := int64(len(header.buf) + len(p.page))
	t.open(0)
	t.i64(2, 0) // deprecated: the offset of a second copy of the metadata
	t.open(3)
	t.i32(1, physical(&p.batch.columns[i]))
	t.list(2, thriftI32, 2)
	t.buf = binary.AppendVarint(t.buf, encodingPlain)
	t.buf = binary.AppendVarint(t.buf, encodingRLE)
	t.list(3, thriftBinary, 1)
	t.element([]byte(p.batch.columns[i].Name))
	t.i32(4, codecZstd)
	t.i64(5, int64(rows))
	t.i64(6, plain)
	t.i64(7, int64(len(header.buf)+len(p.compressed)))
	t.i64(9, off)
	p.batch.statistics(t, i)
	t.close()
	t.close()

	p.buf = append(p.buf, header.buf...)
	p.buf = append(p.buf, p.compressed...)
	return plain
}

// appendPage appends the definition levels (which rows have a value), in Parquet's hybrid
// encoding, and the values that are not null.
func (v *vector) appendPage(dst []byte, rows int) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if v.nulls == 0 { // one run of ones
		dst = binary.AppendUvarint(dst, uint64(rows)<<1)
		dst = append(dst, 1)
	} else { // the bits themselves, in groups of eight
		dst = binary.AppendUvarint(dst, uint64(len(v.valid))<<1|1)
		dst = append(dst, v.valid...)
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	begin := int32(0)
	for row := range rows {
		var end int32
		if v.width == 0 {
			end = v.ends[row]
		}
		if v.has(row) {
			switch v.width {
			case 0:
				dst = binary.LittleEndian.AppendUint32(dst, uint32(end-begin))
				dst = append(dst, v.data[begin:end]...)
			case 8:
				dst = append(dst, v.data[8*row:8*row+8]...)
			default:
				dst = v.appendBigEndian(dst, row)
			}
		}
		begin = end
	}
	return dst
}

// appendBigEndian appends a decimal in big-endian order, as Parquet requires.
func (v *vector) appendBigEndian(dst []byte, row int) []byte {
	value := v.data[row*v.width : (row+1)*v.width]
	for i := len(value) - 8; i >= 0; i -= 8 {
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(value[i:]))
	}
	return dst
}
