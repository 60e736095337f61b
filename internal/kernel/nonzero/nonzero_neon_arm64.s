//go:build !goexperiment.simd

#include "textflag.h"

// Eight vectors are ORed together; the maximum of the 32-bit lanes says whether a bit is set.

// func zeroBlocks(b []byte) int
TEXT ·zeroBlocks(SB), NOSPLIT, $0-32
	MOVD   b_base+0(FP), R0
	MOVD   b_len+8(FP), R1
	MOVD   $0, R2
	SUBS   $128, R1
	BLT    done

blocks:
	VLD1.P 64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R0), [V4.B16, V5.B16, V6.B16, V7.B16]
	VORR   V0.B16, V1.B16, V0.B16
	VORR   V2.B16, V3.B16, V2.B16
	VORR   V4.B16, V5.B16, V4.B16
	VORR   V6.B16, V7.B16, V6.B16
	VORR   V0.B16, V2.B16, V0.B16
	VORR   V4.B16, V6.B16, V4.B16
	VORR   V0.B16, V4.B16, V0.B16
	VUMAXV V0.S4, V0
	VMOV   V0.S[0], R3
	CBNZ   R3, done
	ADD    $128, R2
	SUBS   $128, R1
	BGE    blocks

done:
	MOVD   R2, ret+24(FP)
	RET
