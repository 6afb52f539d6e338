package term

import "fmt"

// An Allowance is how many findings may be reported.
type Allowance struct {
	Max     int // 0 for any
	Taken   int
	Omitted int
}

// Take returns how many of n findings may be reported; the rest is omitted.
func (a *Allowance) Take(n int) int {
	allowed := n
	if a.Max > 0 {
		allowed = min(n, max(a.Max-a.Taken, 0))
	}
	a.Taken += allowed
	a.Omitted += n - allowed
	return allowed
}

// Summary is what the summary of a run says of findings that were omitted, "" if none was.
func (a *Allowance) Summary() string {
	if a.Omitted == 0 {
		return ""
	}
	return "; " + NotShown(a.Omitted, "finding", a.Max)
}

func NotShown(n int, noun string, limit int) string {
	return fmt.Sprintf("%s not shown: --max-findings %d", Plural(n, noun), limit)
}
