package child

import (
	"bufio"
	"io"
	"strings"
)

// Limits of standard error, in bytes.
const (
	maxQuoted = 64 << 10
	maxLine   = 1 << 10
	minLine   = 64 // the minimum that a line counts
)

const leftOut = "… (the rest of its standard error is left out)"

// readLines calls line for each line of standard error, up to the limits unless endless. It reads
// the rest too, so that the command never blocks.
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
