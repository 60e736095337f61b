//go:build goexperiment.simd

#include "textflag.h"

// A predicate of 16 lanes limits the work to 16 bytes, whatever the vector length. The compare sets
// the flags itself: NE means that some lane is not zero.

// func countByPredicate(b []byte) int
TEXT ·countByPredicate(SB), NOSPLIT, $0-32
	MOVD     b_base+0(FP), R0
	MOVD     b_len+8(FP), R1
	MOVD     $0, R2
	MOVD     $16, R3
	PWHILELO R3, ZR, P0.B
	SUBS     $16, R1
	BLT      done

registers:
	ZLD1B    (VL*0)(R0), P0.Z, [Z0.B]
	ZCMPNE   $0, Z0.B, P0.Z, P1.B
	CINC     NE, R2, R2
	ADD      $16, R0
	SUBS     $16, R1
	BGE      registers

done:
	MOVD     R2, ret+24(FP)
	RET
