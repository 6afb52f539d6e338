package audit

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Period is a calendar period.
type Period struct{ Years, Months, Days int }

// periodForms matches periods such as P7Y6M and P2W (ISO 8601), and 2555d.
const periodForms = `^(?:P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,6})D)?|(\d{1,6})d)$`

// ParsePeriod parses a period: years, months, weeks and days of ISO 8601, such as P7Y or P1Y6M, or days, such
// as 2555d.
func ParsePeriod(text string) (p Period, err error) {
	parts := regexp.MustCompile(periodForms).FindStringSubmatch(text) // used once per run
	if parts == nil {
		return p, fmt.Errorf("%s is not a period: use a form such as P7Y, P18M or 2555d", finding.Quote(text))
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(parts[i]) // digits or empty
		return n
	}
	p = Period{number(1), number(2), 7*number(3) + number(4) + number(5)}
	if p == (Period{}) {
		return p, fmt.Errorf("%s is not a period: its length is 0", finding.Quote(text))
	}
	return p, nil
}

// Before returns the time one period before t.
func (p Period) Before(t time.Time) time.Time { return t.AddDate(-p.Years, -p.Months, -p.Days) }
