#include "textflag.h"

// func sequenceAVX2(order, feeds, delims *uint64, words int)
TEXT ·sequenceAVX2(SB), NOSPLIT, $0-32
	MOVQ order+0(FP), DI
	MOVQ feeds+8(FP), SI
	MOVQ delims+16(FP), DX
	MOVQ words+24(FP), CX
	TESTQ CX, CX
	JLE  done

word:
	MOVQ  (SI), AX
	MOVQ  (DX), BX
	ORQ   AX, BX
	PEXTQ BX, AX, AX
	MOVQ  AX, (DI)
	ADDQ  $8, SI
	ADDQ  $8, DX
	ADDQ  $8, DI
	DECQ  CX
	JNZ   word

done:
	RET
