#include "go_asm.h"
#include "textflag.h"

// REFILL loads as many whole bytes as fit. Bits above the count are right, too: they are loaded again.
#define REFILL \
	MOVQ   (SI), BX;     \
	SHLXQ  R9, BX, BX;   \
	ORQ    BX, R8;       \
	MOVL   R9, BX;       \
	ADDQ   $7, SI;       \
	SHRL   $3, BX;       \
	ANDL   $7, BX;       \
	SUBQ   BX, SI;       \
	ORL    $56, R9

// NEXT loads the next entry.
#define NEXT \
	MOVL   R8, BX;            \
	ANDL   $2047, BX;         \
	MOVL   (R10)(BX*4), AX

// LITERALS consumes an entry of one or two literals, and writes two. STORE and ADVANCE
// say how the output has them.
#define LITERALS \
	SHRXQ  AX, R8, R8;   \
	SUBL   AX, R9;       \
	MOVL   AX, CX;       \
	MOVL   R8, BX;       \
	ANDL   $2047, BX;    \
	SHRL   $16, CX;      \
	SHRL   $12, AX;      \
	STORE;               \
	ANDL   $3, AX;       \
	ADVANCE;             \
	MOVL   (R10)(BX*4), AX

#define LITERAL $0x3000
#define SPECIAL $0x4000
#define SUBTABLE $0x8000

// Output of bytes: STORE writes the two literals of CX, ADVANCE skips as many as AX says, and SCALE
// makes bytes of the output out of a number of literals.
#define STORE MOVW CX, (DI)
#define ADVANCE ADDQ AX, DI
#define SCALE(n)

// func loopAVX2(s *span)
TEXT ·loopAVX2(SB), NOSPLIT, $0-8
#include "loop_avx2_amd64.h"

#undef STORE
#undef ADVANCE
#undef SCALE

// Output of symbols, of two bytes each.
#define STORE \
	MOVL CX, DX;         \
	SHLL $8, DX;         \
	ORL  DX, CX;         \
	ANDL $0xff00ff, CX;  \
	MOVL CX, (DI)
#define ADVANCE LEAQ (DI)(AX*2), DI
#define SCALE(n) ADDL n, n

// func symbolLoopAVX2(s *span)
TEXT ·symbolLoopAVX2(SB), NOSPLIT, $0-8
#include "loop_avx2_amd64.h"
