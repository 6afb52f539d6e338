// Package rfc3339 parses only the date-times of RFC 3339, section 5.6: [time.Parse] also accepts an hour of
// one digit, a decimal comma and an offset of 24 hours, and rejects lower case letters and leap seconds.
//
// A leap second, :60, is the last second of a month in UTC (section 5.7) or, in a time without a date, of a
// day. The package does not check whether a leap second was announced for that month. All functions are safe
// for concurrent use.
package rfc3339

import "time"

// A Text is a text to parse.
type Text interface{ ~string | ~[]byte }

const dateLength = len("yyyy-mm-dd")

// Parse parses a date-time and reports whether text is one. The time is in UTC, truncated to nanoseconds. A
// leap second becomes the next second, as in Unix time.
func Parse[T Text](text T) (time.Time, bool) {
	d, c, ok := read(text)
	if !ok {
		return time.Time{}, false
	}
	t := time.Date(d.year, time.Month(d.month), d.day, c.hour, c.minute-c.offset, c.second, c.nanosecond, time.UTC)
	if c.second == 60 && t.Day() != 1 {
		return time.Time{}, false
	}
	return t, true
}

// read parses a date-time without checking the date of a leap second.
func read[T Text](text T) (d date, c clock, ok bool) {
	if len(text) <= dateLength || text[dateLength]|0x20 != 't' {
		return date{}, clock{}, false
	}
	if d, ok = readDate(text[:dateLength]); ok {
		c, ok = readClock(text[dateLength+1:])
	}
	return d, c, ok
}

// IsDateTime reports whether text is a date-time, such as 1998-12-31T15:59:60.5-08:00.
func IsDateTime[T Text](text T) bool {
	_, c, ok := read(text)
	if c.second == 60 {
		_, ok = Parse(text)
	}
	return ok
}

// IsDate reports whether text is a full-date, such as 1998-12-31.
func IsDate[T Text](text T) bool {
	_, ok := readDate(text)
	return ok
}

// IsTime reports whether text is a full-time, such as 15:59:60.5-08:00.
func IsTime[T Text](text T) bool {
	_, ok := readClock(text)
	return ok
}

type date struct{ year, month, day int }

func readDate[T Text](s T) (d date, ok bool) {
	if len(s) != dateLength || s[4] != '-' || s[7] != '-' {
		return date{}, false
	}
	century, years := digits2(s), digits2(s[2:])
	d = date{century*100 + years, digits2(s[5:]), digits2(s[8:])}
	return d, century >= 0 && years >= 0 && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= daysIn(d.year, d.month)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	default:
		return 31
	}
}

// A clock is a time of day and its offset from UTC, in minutes.
type clock struct{ hour, minute, second, nanosecond, offset int }

func readClock[T Text](s T) (c clock, ok bool) {
	const whole, offset = len("hh:mm:ss"), len("+hh:mm")
	if len(s) <= whole || s[2] != ':' || s[5] != ':' {
		return clock{}, false
	}
	c = clock{hour: digits2(s), minute: digits2(s[3:]), second: digits2(s[6:])}
	if uint(c.hour) > 23 || uint(c.minute) > 59 || uint(c.second) > 60 {
		return clock{}, false
	}
	s = s[whole:]
	if s[0] == '.' {
		unit := int(time.Second)
		i := 1
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
			unit /= 10
			c.nanosecond += unit * int(s[i]-'0')
		}
		if i == 1 || i == len(s) {
			return clock{}, false
		}
		s = s[i:]
	}
	if s[0]|0x20 != 'z' {
		if len(s) != offset || s[3] != ':' || s[0] != '+' && s[0] != '-' {
			return clock{}, false
		}
		hours, minutes := digits2(s[1:]), digits2(s[4:])
		if uint(hours) > 23 || uint(minutes) > 59 {
			return clock{}, false
		}
		c.offset = hours*60 + minutes
		if s[0] == '-' {
			c.offset = -c.offset
		}
	} else if len(s) != 1 {
		return clock{}, false
	}
	const day = 24 * 60
	return c, c.second < 60 || (c.hour*60+c.minute-c.offset+day)%day == day-1
}

// digits2 returns the value of the first two digits of s, -1 if they are not digits.
func digits2[T Text](s T) int {
	tens, ones := s[0]-'0', s[1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return int(tens)*10 + int(ones)
}
