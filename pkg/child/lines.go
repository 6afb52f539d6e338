package child

import (
	"bufio"
	"io"
	"strings"
)

// Bounds of what gets standard error, in bytes.
const (
	maxQuoted = 64 << 10
	maxLine   = 1 << 10
	minLine   = 64 // what a line counts for at least
)

const leftOut = "… (the rest of its standard error is left out)"

// readLines calls line for each line of standard error, of an endless one for all. What is too
// much is read all the same: the command is not to wait.
func (p *Process) readLines(line func(string), endless bool) {
	defer close(p.linesRead)
	r := bufio.NewReaderSize(p.stderr, maxLine)
	left := maxQuoted
	for long := false; ; {
		part, err := r.ReadSlice('\n')
		began := !long
		long = err == bufio.ErrBufferFull
		if began && len(part) > 0 {
			if left -= max(len(part), minLine); left < 0 && !endless {
				line(leftOut)
				io.Copy(io.Discard, r)
				return
			}
			text := strings.TrimRight(string(part), "\r\n")
			if long {
				text += "…"
			}
			line(text)
		}
		if err != nil && !long {
			return
		}
	}
}
