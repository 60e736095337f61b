package copy

import "testing"

// TestAdd parses lines of strace.
func TestAdd(t *testing.T) {
	var c calls
	for _, line := range []string{
		`71    sendfile(8, 9, NULL, 4194304) = 65536`,
		`71    sendfile(8, 9, [65536] => [65536], 4194304) = -1 EAGAIN (Resource temporarily unavailable)`,
		`71    read(8,  <unfinished ...>`,
		`72    write(1, ""..., 38)               = 38`,
		`71    <... read resumed>""..., 512)     = 100`,
		`71    <... read resumed> 0x1d394c653600, 512) = -1 EAGAIN (Resource temporarily unavailable)`,
		`71    splice(8, NULL, 11, NULL, 1048576, SPLICE_F_NONBLOCK) = 4096`,
		`71    pread64(3, ""..., 784, 64)        = 784`,
		`71    writev(3, [{iov_base=""..., iov_len=5}], 1) = 5`,
		`71    read(0, <unfinished ...>)         = ?`,
		`71    +++ exited with 0 +++`,
		`71    --- SIGURG {si_signo=SIGURG, si_code=SI_TKILL, si_pid=71, si_uid=0} ---`,
	} {
		if err := c.add(line); err != nil {
			t.Error(err)
		}
	}
	want := calls{read: count{3, 1, 884}, write: count{2, 0, 43}, sendfile: count{2, 1, 65536}, splice: count{1, 0, 4096}}
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if c.total() != 8 {
		t.Errorf("%d calls in all, want 8", c.total())
	}
	for _, line := range []string{`71 openat(3, "") = 4`, `71 read(3) = many`} {
		if err := c.add(line); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}
