#include "textflag.h"

// EIGHT stores the bytes to keep of the first eight bytes of v, and advances past them. It stores
// sixteen bytes: the next eight overwrite the excess.
#define EIGHT(i, v) \
	MOVBLZX i(BX), AX            \
	VPSHUFB (DX)(AX*8), v, v     \
	VMOVDQU v, (DI)              \
	POPCNTL AX, AX               \
	ADDQ    AX, DI

// func compressAVX2(dst, src unsafe.Pointer, keeps *uint64, blocks int) (n int)
TEXT ·compressAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ keeps+16(FP), BX
	MOVQ blocks+24(FP), CX
	LEAQ ·shuffles(SB), DX
	JMP  test

some:
	// The whole block is loaded before anything is stored, because both may be the same memory.
	VMOVDQU (SI), X0
	VMOVDQU 8(SI), X1
	VMOVDQU 16(SI), X2
	VMOVDQU 24(SI), X3
	VMOVDQU 32(SI), X4
	VMOVDQU 40(SI), X5
	VMOVDQU 48(SI), X6
	VMOVQ   56(SI), X7
	EIGHT(0, X0)
	EIGHT(1, X1)
	EIGHT(2, X2)
	EIGHT(3, X3)
	EIGHT(4, X4)
	EIGHT(5, X5)
	EIGHT(6, X6)

	// The last store must not reach past the block.
	MOVBLZX 7(BX), AX
	VMOVDQU (DX)(AX*8), X8
	VPSHUFB X8, X7, X7
	VMOVQ   X7, (DI)
	POPCNTL AX, AX
	ADDQ    AX, DI

next:
	ADDQ $64, SI
	ADDQ $8, BX
	DECQ CX

test:
	TESTQ CX, CX
	JZ    done
	CMPQ  (BX), $-1
	JNE   some
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ  $64, DI
	JMP   next

done:
	VZEROUPPER
	SUBQ dst+0(FP), DI
	MOVQ DI, n+32(FP)
	RET
