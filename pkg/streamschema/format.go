package streamschema

import "github.com/santhosh-tekuri/jsonschema/v5"

// A format decides about texts. Either of the two functions is set.
type format struct {
	// fast looks at the bytes alone.
	fast func(text []byte) bool
	// slow needs a string, and may take long.
	slow func(text string) bool
	id   int // of the slow ones
}

// fastFormat returns a function that decides as that of jsonschema/v5 does, nil if there
// is none. These formats are asked for in every message.
func fastFormat(name string) func(text []byte) bool {
	switch name {
	case "date-time":
		return isDateTime
	case "date":
		return isDate
	case "time":
		return isTime
	case "uuid":
		return isUUID
	default:
		return nil
	}
}

// newFormat returns the format of a name, nil for one that nobody knows.
func newFormat(name string, o Options) *format {
	if slow := o.Formats[name]; slow != nil {
		return &format{slow: slow}
	}
	if fast := fastFormat(name); fast != nil {
		return &format{fast: fast}
	}
	if slow := jsonschema.Formats[name]; slow != nil {
		return &format{slow: func(text string) bool { return slow(text) }}
	}
	return nil
}

const (
	mostRemembered    = 1024 // texts
	longestRemembered = 256  // bytes of one
)

// holds reports whether the text has the format. Of texts that have, the run keeps the
// latest in mind: the same few come again in every message.
func (f *format) holds(r *Run, text []byte) bool {
	if f.fast != nil {
		return f.fast(text)
	}
	known := r.known[f.id]
	if known[string(text)] {
		return true
	}
	if !f.slow(string(text)) {
		return false
	}
	if len(text) > longestRemembered {
		return true
	}
	if known == nil {
		known = map[string]bool{}
		r.known[f.id] = known
	}
	if len(known) >= mostRemembered {
		clear(known)
	}
	known[string(text)] = true
	return true
}

// isDateTime is jsonschema's date-time: RFC 3339, section 5.6, leap seconds included.
func isDateTime(s []byte) bool {
	return len(s) >= len("yyyy-mm-ddThh:mm:ssZ") && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
}

func isDate(s []byte) bool {
	if len(s) != len("yyyy-mm-dd") || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i, c := range s {
		if c-'0' > 9 && i != 4 && i != 7 {
			return false
		}
	}
	century, year := digits2(s), digits2(s[2:])
	month, day := digits2(s[5:]), digits2(s[8:])
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(century, year, month)
}

func digits2(s []byte) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// daysIn returns the length of a month; the year has a century of its own to be simple
// to divide.
func daysIn(century, year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year != 0 || century%4 == 0) {
			return 29
		}
		return 28
	default:
		return 31
	}
}

func isTime(s []byte) bool {
	if len(s) < len("hh:mm:ssZ") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := below(s, 24), below(s[3:], 60), below(s[6:], 61)
	if hour < 0 || minute < 0 || second < 0 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		i := 1
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		if i == 1 || i == len(s) {
			return false
		}
		s = s[i:]
	}
	if s[0]|0x20 == 'z' {
		return len(s) == 1 && isSecond(second, hour*60+minute)
	}
	if len(s) != len("+hh:mm") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return false
	}
	offsetHour, offsetMinute := below(s[1:], 24), below(s[4:], 60)
	if offsetHour < 0 || offsetMinute < 0 {
		return false
	}
	offset := offsetHour*60 + offsetMinute
	if s[0] == '+' {
		offset = -offset
	}
	utc := hour*60 + minute + offset
	if utc < 0 {
		utc += 24 * 60
	}
	return isSecond(second, utc)
}

// isSecond reports whether a minute of the day in UTC has such a second: the last alone
// has 60.
func isSecond(second, minute int) bool { return second < 60 || minute == 24*60-1 }

// below reads the two characters that s begins with as a number below a limit, else -1.
// A sign and a digit are a number for jsonschema, as they are for [strconv.Atoi].
func below(s []byte, limit int) int {
	if s[1]-'0' > 9 {
		return -1
	}
	n := int(s[1] - '0')
	switch c := s[0]; {
	case c-'0' <= 9:
		n += 10 * int(c-'0')
	case c == '-' && n > 0, c != '-' && c != '+':
		return -1
	}
	if n >= limit {
		return -1
	}
	return n
}

func isUUID(s []byte) bool {
	if len(s) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	for i, c := range s {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if c-'0' > 9 && c|0x20-'a' > 5 {
				return false
			}
		}
	}
	return true
}
