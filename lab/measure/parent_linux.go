package measure

import "syscall"

// endWithParent kills a child when the thread that started it ends, as if the lab itself is killed. The
// lab's threads end only with the lab.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
