package term

import "fmt"

// An Allowance limits the number of reported findings.
type Allowance struct {
	Max     int // 0 for no limit
	Taken   int
	Omitted int
}

// Take returns the number of findings, of n more, to report; the rest is omitted.
func (a *Allowance) Take(n int) int {
	allowed := n
	if a.Max > 0 {
		allowed = min(n, max(a.Max-a.Taken, 0))
	}
	a.Taken += allowed
	a.Omitted += n - allowed
	return allowed
}

// Summary returns the text about omitted findings for the summary of a run, "" if none were omitted.
func (a *Allowance) Summary() string {
	if a.Omitted == 0 {
		return ""
	}
	return "; " + NotShown(a.Omitted, "finding", a.Max)
}

func NotShown(n int, noun string, limit int) string {
	return fmt.Sprintf("%s not shown: --max-findings %d", Plural(n, noun), limit)
}
