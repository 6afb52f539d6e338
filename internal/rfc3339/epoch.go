package rfc3339

import (
	"strconv"
	"strings"
	"time"
)

// FromEpoch returns the date-time for a number of seconds, milliseconds, microseconds or nanoseconds since
// 1970, and the unit, which it derives from the magnitude. The text is a decimal number without an exponent.
// ok is false if no unit results in a time between 1973 and 2286.
func FromEpoch(text string) (dateTime, unit string, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	beyond := 0 // digits of the integer part below one second
	switch len(whole) {
	case 9, 10:
		unit = "seconds"
	case 12, 13:
		unit, beyond = "milliseconds", 3
	case 15, 16:
		unit, beyond = "microseconds", 6
	case 18, 19:
		unit, beyond = "nanoseconds", 9
	default:
		return "", "", false
	}
	digits := whole + fraction
	if whole[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return "", "", false
	}
	cut := len(whole) - beyond
	seconds, err := strconv.ParseInt(digits[:cut], 10, 64)
	if err != nil {
		return "", "", false
	}
	nanoseconds, err := strconv.ParseInt((digits[cut:] + "000000000")[:9], 10, 64)
	if err != nil {
		return "", "", false
	}
	return time.Unix(seconds, nanoseconds).UTC().Format(time.RFC3339Nano), unit, true
}
