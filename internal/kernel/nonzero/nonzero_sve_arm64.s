//go:build goexperiment.simd

#include "textflag.h"

// The code works for any vector length: RDVL reads it. A block is four vectors, ORed together; a
// single compare then sets the flags to whether any lane is set (NE) or none (EQ), for which NEON
// needs a reduction, a move and a compare. The loop over vectors finds the byte, or handles what is
// shorter than a block: its predicate holds the lanes inside the slice, and a load reads no others,
// so there is no tail.
//
// R0 base, R1 length, R2 vector bytes, R4 index of the vector or block, P0 all lanes.

// func indexSVE(b []byte) int
TEXT ·indexSVE(SB), NOSPLIT, $0-32
	MOVD     b_base+0(FP), R0
	MOVD     b_len+8(FP), R1
	MOVD     $0, R4
	MOVD     $-1, R5
	PWHILELO R5, ZR, P0.B
	RDVL     $1, R2
	RDVL     $4, R3
	SUBS     R3, R1, R6            // the last place where a block may begin
	BLT      vectors

blocks:
	ADD      R4, R0, R7
	ZLD1B    (VL*0)(R7), P0.Z, [Z0.B]
	ZLD1B    (VL*1)(R7), P0.Z, [Z1.B]
	ZLD1B    (VL*2)(R7), P0.Z, [Z2.B]
	ZLD1B    (VL*3)(R7), P0.Z, [Z3.B]
	ZORR     Z0.D, Z1.D, Z0.D
	ZORR     Z2.D, Z3.D, Z2.D
	ZORR     Z0.D, Z2.D, Z0.D
	ZCMPNE   $0, Z0.B, P0.Z, P1.B
	BNE      vectors
	ADD      R3, R4
	CMP      R6, R4
	BLE      blocks

vectors:
	PWHILELO R1, R4, P1.B
	BEQ      none
	ZLD1B    (R4)(R0), P1.Z, [Z0.B]
	ZCMPNE   $0, Z0.B, P1.Z, P2.B
	BNE      found
	ADD      R2, R4
	B        vectors

found:
	PBRKB    P2.B, P0.Z, P3.B      // the lanes before the first that is set
	PCNTP    P3.B, P0, R5
	ADD      R5, R4
	MOVD     R4, ret+24(FP)
	RET

none:
	MOVD     $-1, R4
	MOVD     R4, ret+24(FP)
	RET
