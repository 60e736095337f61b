// The fast loop. It is included once for output of bytes and once for output of symbols.
//
// The registers:
//
//	SI, R12  the next byte of the input, and the last place of it where the loop may go on
//	DI, R13  the same of the output
//	R14      where the output begins
//	R8, R9   the bits, and how many there are; only the low byte of R9 counts, so that an entry can
//	         be subtracted whole
//	R10, R11 the tables of literals and of distances
//	AX       the next entry; it is loaded as soon as the bits before it are consumed
//
// The idea of each step is told in loopPlain. Shifts use only the low six bits of their count, and
// BZHI only the low byte, which of an entry are the bits that it consumes.

	MOVQ  s+0(FP), DX
	MOVQ  span_in(DX), SI
	MOVQ  SI, R12
	ADDQ  span_inLast(DX), R12
	ADDQ  span_at(DX), SI
	MOVQ  span_out(DX), R14
	MOVQ  R14, DI
	MOVQ  R14, R13
	ADDQ  span_n(DX), DI
	ADDQ  span_outLast(DX), R13
	MOVQ  span_literals(DX), R10
	MOVQ  span_distances(DX), R11
	MOVQ  span_bits(DX), R8
	MOVQ  span_bitsLen(DX), R9
	REFILL
	NEXT

loop:
	CMPQ  SI, R12
	JHI   stop
	CMPQ  DI, R13
	JHI   stop
	REFILL
	TESTL LITERAL, AX
	JEQ   match
	LITERALS
	TESTL LITERAL, AX
	JEQ   match
	LITERALS
	TESTL LITERAL, AX
	JEQ   match
	LITERALS
	JMP   loop

match:
	TESTL SPECIAL, AX
	JNE   deep

length:
	BZHIQ AX, R8, CX
	SHRXQ AX, R8, R8
	SUBL  AX, R9
	MOVL  R8, BX
	ANDL  $511, BX
	MOVL  (R11)(BX*4), DX // the distance; it takes no more bits than are left
	MOVL  AX, BX
	SHRL  $8, BX
	SHRXQ BX, CX, CX
	SHRL  $16, AX
	ADDL  AX, CX          // CX: the length
	SCALE(CX)
	REFILL
	TESTL SPECIAL, DX
	JNE   deepDistance

distance:
	BZHIQ DX, R8, R15
	SHRXQ DX, R8, R8
	SUBL  DX, R9
	NEXT
	MOVL  DX, BX
	SHRL  $8, BX
	SHRXQ BX, R15, R15
	SHRL  $16, DX
	ADDL  DX, R15         // R15: the distance
	SCALE(R15)
	MOVQ  DI, DX
	SUBQ  R15, DX         // DX: the source
	CMPQ  DX, R14
	JCS   before
	CMPL  R15, $16
	JCS   near

copy:
	VMOVDQU (DX), X0
	VMOVDQU X0, (DI)
	VMOVDQU 16(DX), X1
	VMOVDQU X1, 16(DI)
	CMPL  CX, $32
	JHI   long
	ADDQ  CX, DI
	JMP   loop

long:
	ADDQ  DI, CX          // CX: the end
	ADDQ  $32, DI

more:
	ADDQ  $32, DX
	VMOVDQU (DX), X0
	VMOVDQU X0, (DI)
	VMOVDQU 16(DX), X1
	VMOVDQU X1, 16(DI)
	ADDQ  $32, DI
	CMPQ  DI, CX
	JCS   more
	MOVQ  CX, DI
	JMP   loop

near: // the source is less than a vector away: a vector of its bytes, repeated
	VMOVDQU (DX), X0
	MOVQ  s+0(FP), BX
	MOVQ  span_near(BX), BX
	MOVBLZX near_stride(BX)(R15*1), DX
	SHLL  $4, R15
	VPSHUFB near_index(BX)(R15*1), X0, X0
	ADDQ  DI, CX          // CX: the end

again:
	VMOVDQU X0, (DI)
	ADDQ  DX, DI
	CMPQ  DI, CX
	JCS   again
	MOVQ  CX, DI
	JMP   loop

before: // the source begins before the output
	MOVQ  s+0(FP), BX
	SUBQ  R14, DX         // negative
	NEGQ  DX
	CMPQ  DX, span_beforeLen(BX)
	JHI   stopAtBytes
	CMPQ  DX, CX
	JCS   stopAtBytes     // it ends in the output
	NEGQ  DX
	ADDQ  span_before(BX), DX
	JMP   copy

deep: // an entry that is neither literals nor a length
	TESTL SUBTABLE, AX
	JEQ   stop
	MOVQ  R8, BX
	SHRQ  $11, BX
	MOVL  AX, CX
	SHRL  $8, CX
	ANDL  $15, CX
	BZHIQ CX, BX, BX
	SHRL  $16, AX
	ADDL  AX, BX
	MOVL  (R10)(BX*4), AX
	TESTL SPECIAL, AX
	JNE   stop
	TESTL LITERAL, AX
	JEQ   length
	LITERALS
	JMP   loop

deepDistance:
	TESTL SUBTABLE, DX
	JEQ   stopAtDistance
	MOVQ  R8, BX
	SHRQ  $9, BX
	MOVL  DX, AX
	SHRL  $8, AX
	ANDL  $15, AX
	BZHIQ AX, BX, BX
	SHRL  $16, DX
	ADDL  DX, BX
	MOVL  (R11)(BX*4), DX
	TESTL SPECIAL, DX
	JEQ   distance

stopAtDistance:
	XORL  R15, R15

stopAtBytes:
	MOVQ  s+0(FP), DX
	MOVQ  CX, span_length(DX)
	MOVQ  R15, span_distance(DX)

stop: // what was loaded and is not used goes back
	MOVQ  s+0(FP), DX
	ANDL  $63, R9
	MOVL  R9, BX
	SHRL  $3, BX
	SUBQ  BX, SI
	ANDL  $7, R9
	BZHIQ R9, R8, R8
	SUBQ  span_in(DX), SI
	SUBQ  R14, DI
	MOVQ  SI, span_at(DX)
	MOVQ  DI, span_n(DX)
	MOVQ  R8, span_bits(DX)
	MOVQ  R9, span_bitsLen(DX)
	RET
