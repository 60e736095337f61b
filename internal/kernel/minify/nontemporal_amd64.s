#include "textflag.h"

// func copyNonTemporalAVX2(dst, src unsafe.Pointer, lines int)
TEXT ·copyNonTemporalAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ lines+16(FP), CX
	JMP  test

line:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVNTDQ Y0, (DI)
	VMOVNTDQ Y1, 32(DI)
	ADDQ     $64, SI
	ADDQ     $64, DI
	DECQ     CX

test:
	TESTQ CX, CX
	JNZ   line
	SFENCE // such stores are seen out of order otherwise, also by those who synchronise
	VZEROUPPER
	RET
