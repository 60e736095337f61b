#include "textflag.h"

// func lines(p []byte)
TEXT ·lines(SB), NOSPLIT, $0-24
	MOVD p_base+0(FP), R0
	MOVD p_len+8(FP), R1
	ADD  R0, R1
	B    test

next:
	PRFM (R0), PLDL2KEEP
	ADD  $64, R0

test:
	CMP R1, R0
	BLO next
	RET
