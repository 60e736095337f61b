#include "textflag.h"

// func indexAVX2(b []byte) int
//
// AX is the index, CX the length. Groups of 128 bytes are tested at once. A group that is not all
// zero, and the rest at the end, is searched by words and then by bytes.
TEXT ·indexAVX2(SB), NOSPLIT, $0-32
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), CX
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~127, DX

group:
	CMPQ    AX, DX
	JGE     words
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU 32(SI)(AX*1), Y1
	VMOVDQU 64(SI)(AX*1), Y2
	VMOVDQU 96(SI)(AX*1), Y3
	VPOR    Y0, Y1, Y1
	VPOR    Y2, Y3, Y3
	VPOR    Y1, Y3, Y3
	VPTEST  Y3, Y3
	JNZ     words
	ADDQ    $128, AX
	JMP     group

words:
	VZEROUPPER
	MOVQ CX, DX
	ANDQ $~7, DX

word:
	CMPQ AX, DX
	JGE  byte
	CMPQ (SI)(AX*1), $0
	JNE  done
	ADDQ $8, AX
	JMP  word

byte:
	CMPQ AX, CX
	JGE  none
	CMPB (SI)(AX*1), $0
	JNE  done
	INCQ AX
	JMP  byte

none:
	MOVQ $-1, AX

done:
	MOVQ AX, ret+24(FP)
	RET
