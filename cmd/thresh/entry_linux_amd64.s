#include "textflag.h"

// entry runs before the Go runtime. At its start the runtime reserves address space, and crashes
// with a dump if the address space is limited (ulimit -v) to too little. It needs about 740 MiB.
// If the limit is above 1.1 GiB, it tries to reserve another 512 MiB, and fails if too little is
// left after them. So entry refuses to start below 768 MiB, and lowers a limit between 1.1 and
// 1.5 GiB to 1.1 GiB.
TEXT ·entry(SB), NOSPLIT|NOFRAME, $0
	// prlimit64(0, RLIMIT_AS, nil, &limit), in the red zone below the stack
	MOVQ $302, AX
	XORL DI, DI
	MOVQ $9, SI
	XORL DX, DX
	LEAQ -64(SP), R10
	SYSCALL
	TESTQ AX, AX
	JNE start
	MOVQ -64(SP), AX
	CMPQ AX, $(1500<<20)
	JCC start
	CMPQ AX, $(768<<20)
	JCS refuse
	CMPQ AX, $(1100<<20)
	JLS start

	// prlimit64(0, RLIMIT_AS, &limit, nil); if it fails, the runtime meets the old limit
	MOVQ $(1100<<20), AX
	MOVQ AX, -64(SP)
	MOVQ $302, AX
	XORL DI, DI
	MOVQ $9, SI
	LEAQ -64(SP), DX
	XORL R10, R10
	SYSCALL

start:
	JMP _rt0_amd64_linux(SB)

refuse:
	MOVQ $1, AX // write(2, text, len)
	MOVQ $2, DI
	LEAQ ·tooLittle(SB), SI
	MOVQ $99, DX
	SYSCALL
	MOVQ $231, AX // exit_group(2)
	MOVQ $2, DI
	SYSCALL
	INT $3

DATA ·tooLittle+0(SB)/8, $"thresh: "
DATA ·tooLittle+8(SB)/8, $"the addr"
DATA ·tooLittle+16(SB)/8, $"ess spac"
DATA ·tooLittle+24(SB)/8, $"e is lim"
DATA ·tooLittle+32(SB)/8, $"ited (ul"
DATA ·tooLittle+40(SB)/8, $"imit -v)"
DATA ·tooLittle+48(SB)/8, $", and at"
DATA ·tooLittle+56(SB)/8, $" least 8"
DATA ·tooLittle+64(SB)/8, $"60 MiB a"
DATA ·tooLittle+72(SB)/8, $"re neede"
DATA ·tooLittle+80(SB)/8, $"d: raise"
DATA ·tooLittle+88(SB)/8, $" the lim"
DATA ·tooLittle+96(SB)/3, $"it\n"
GLOBL ·tooLittle(SB), RODATA|NOPTR, $99
