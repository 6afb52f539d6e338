package macp

import (
	"encoding/base64"
	"strings"
	"time"
)

// ParseTime reads a date-time (RFC 3339), and reports whether the text is one. Letters
// may be small. A leap second is the last one of a day in UTC; it is read as the first
// instant of the next day, as Unix time has it.
func ParseTime(text string) (time.Time, bool) {
	const hour, seconds, zone = len("2006-01-02T"), len("2006-01-02T15:04:"), len("+07:00")
	text = strings.ToUpper(text)
	leap := len(text) > seconds && strings.HasPrefix(text[seconds:], "60")
	if leap {
		text = text[:seconds] + "59" + text[seconds+2:]
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || text[hour+2] != ':' || strings.Contains(text, ",") {
		return time.Time{}, false // time.Parse takes an hour of one digit, and a comma
	}
	if offset := text[len(text)-zone+1:]; text[len(text)-1] != 'Z' && (offset[:2] > "23" || offset[3:] > "59") {
		return time.Time{}, false // and too much of them
	}
	if leap {
		if utc := t.UTC(); utc.Hour() != 23 || utc.Minute() != 59 {
			return time.Time{}, false
		}
		t = t.Add(time.Second)
	}
	return t, true
}

// DecodeBytes reads base64 as the JSON form of protobuf has it, and reports whether the
// text is base64: with the standard or the URL-safe alphabet, with or without padding.
// Bits that are left over at the end do not count.
func DecodeBytes(text string) ([]byte, bool) {
	plain := strings.TrimRight(text, "=")
	if padding := len(text) - len(plain); padding > 2 || padding > 0 && len(text)%4 != 0 || strings.ContainsAny(plain, "\r\n") {
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(plain, "-_") {
		encoding = base64.RawURLEncoding
	}
	out, err := encoding.DecodeString(plain)
	return out, err == nil
}
