package claudecode

import (
	"cmp"
	"fmt"
	"strings"
)

// A stamp is the time of an entry, compared as text. A time in the usual form,
// 2026-06-12T09:00:00.000Z, is stored as the number formed by its digits plus one.
type stamp struct {
	digits int64
	text   *string // any other form
}

// stampForm is the usual form, with 0 for any digit.
const stampForm = "0000-00-00T00:00:00.000Z"

// stampOf returns a stamp. It does not retain text.
func stampOf(text string) stamp {
	if text == "" {
		return stamp{}
	}
	digits := int64(0)
	for i := range len(stampForm) {
		switch {
		case len(text) != len(stampForm), stampForm[i] != '0' && text[i] != stampForm[i], stampForm[i] == '0' && (text[i] < '0' || text[i] > '9'):
			text = strings.Clone(text)
			return stamp{text: &text}
		case stampForm[i] == '0':
			digits = 10*digits + int64(text[i]-'0')
		}
	}
	return stamp{digits: digits + 1}
}

func (s stamp) String() string {
	switch {
	case s.text != nil:
		return *s.text
	case s.digits == 0:
		return ""
	}
	n := s.digits - 1
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", n/1e13, n/1e11%100, n/1e9%100, n/1e7%100, n/1e5%100, n/1e3%100, n%1e3)
}

// compare compares two stamps as texts.
func (s stamp) compare(other stamp) int {
	if s.text == nil && other.text == nil {
		return cmp.Compare(s.digits, other.digits)
	}
	return strings.Compare(s.String(), other.String())
}
