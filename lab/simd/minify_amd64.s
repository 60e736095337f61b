#include "textflag.h"

// func compressToMemory(dst, src *byte, keeps *uint64, blocks int) (n int)
TEXT ·compressToMemory(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ keeps+16(FP), BX
	MOVQ blocks+24(FP), CX
	JMP  test

next:
	VMOVDQU64   (SI), Z0
	MOVQ        (BX), AX
	KMOVQ       AX, K1
	VPCOMPRESSB Z0, K1, (DI)
	POPCNTQ     AX, AX
	ADDQ        AX, DI
	ADDQ        $64, SI
	ADDQ        $8, BX
	DECQ        CX

test:
	TESTQ CX, CX
	JNZ   next
	VZEROUPPER
	SUBQ dst+0(FP), DI
	MOVQ DI, n+32(FP)
	RET

// func compressToRegister(dst, src *byte, keeps *uint64, blocks int) (n int)
TEXT ·compressToRegister(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ keeps+16(FP), BX
	MOVQ blocks+24(FP), CX
	JMP  test

next:
	VMOVDQU64     (SI), Z0
	MOVQ          (BX), AX
	KMOVQ         AX, K1
	VPCOMPRESSB.Z Z0, K1, Z0 // to its own source: another would be waited for
	VMOVDQU64     Z0, (DI)
	POPCNTQ       AX, AX
	ADDQ          AX, DI
	ADDQ          $64, SI
	ADDQ          $8, BX
	DECQ          CX

test:
	TESTQ CX, CX
	JNZ   next
	VZEROUPPER
	SUBQ dst+0(FP), DI
	MOVQ DI, n+32(FP)
	RET
