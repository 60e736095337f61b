#include "textflag.h"

// func lines(p []byte)
TEXT ·lines(SB), NOSPLIT, $0-24
	MOVQ p_base+0(FP), AX
	MOVQ p_len+8(FP), CX
	ADDQ AX, CX
	JMP  test

next:
	PREFETCHT1 (AX)
	ADDQ $64, AX

test:
	CMPQ AX, CX
	JB   next
	RET
