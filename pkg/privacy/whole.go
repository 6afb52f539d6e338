package privacy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// nameMembers are the names of members that contain the name of a person, or a part of one, in
// lower case without separators.
const nameMembers = " firstname lastname surname givenname familyname middlename fullname maidenname vorname nachname nom prenom nombre apellido apellidos cognome sobrenome nomecompleto " +
	"customername patientname employeename contactname personname cardholder cardholdername nameoncard accountholder accountholdername applicantname guestname passengername recipientname " +
	"payeename sendername authorname ownername managername fname lname legalname "

// addressMembers are the names of members that contain a part of a postal address.
const addressMembers = " street streetaddress address address1 address2 addressline1 addressline2 homeaddress shippingaddress billingaddress postaladdress mailingaddress strasse anschrift " +
	"direccion direccion adresse indirizzo endereco residence deliveryaddress line1 "

// A label is the information from the name of a member about its value.
type label struct {
	context context
	holds   wholeValue
}

// A wholeValue is a kind of personal data that is the whole value of a member.
type wholeValue int

const (
	anything wholeValue = iota
	aName
	maybeName // also used for names of tools and files
	anAddress
)

// maxLabels is the maximum number of member names that a scanner caches, since messages can have
// any number of them.
const maxLabels = 4096

// labelOf returns the label from a member's name.
func (s *Scanner) labelOf(name string) label {
	s.labels.RLock()
	l, known := s.labels.of[name]
	s.labels.RUnlock()
	if known {
		return l
	}
	l.context = nameContext(name)
	switch plain := plainName(name); {
	case strings.Contains(nameMembers, " "+plain+" "):
		l.holds = aName
	case plain == "name" || plain == "person" || plain == "customer" || plain == "patient" || plain == "contact":
		l.holds = maybeName
	case strings.Contains(addressMembers, " "+plain+" "):
		l.holds = anAddress
	}
	s.labels.Lock()
	defer s.labels.Unlock()
	if len(s.labels.of) < maxLabels && len(name) <= 64 {
		s.labels.of[strings.Clone(name)] = l
	}
	return l
}

// whole checks a text that, by the name of its member, is personal data as a whole.
func (f *finder) whole(holds wholeValue) {
	if holds == anything || len(f.text) > 120 || len(f.text) < 2 {
		return
	}
	switch holds {
	case aName:
		if f.isName(6) {
			f.addWhole(Person, 0.85)
		}
	case maybeName:
		if words := strings.Fields(f.text); len(words) >= 2 && len(words) <= 4 && f.isName(4) && f.knownName(words) {
			f.addWhole(Person, 0.7)
		}
	case anAddress:
		if strings.IndexFunc(f.text, unicode.IsDigit) >= 0 && strings.IndexByte(f.text, ' ') > 0 && !strings.Contains(f.text, "://") && !strings.Contains(f.text, "@") {
			f.addWhole(Address, 0.75)
		}
	}
}

// plainName returns the name of a member in lower case, without word separators.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func (f *finder) addWhole(class Class, score float64) {
	f.add(class, "", len(f.text)-len(strings.TrimLeft(f.text, " ")), len(strings.TrimRight(f.text, " ")), score)
}

// isName reports whether the text consists of letters, in at most words words.
func (f *finder) isName(words int) bool {
	for _, r := range f.text {
		if r == ' ' {
			words--
		} else if !unicode.IsLetter(r) && r != '\'' && r != '-' && r != '.' && r != '’' && !unicode.IsMark(r) {
			return false
		}
	}
	r, _ := utf8.DecodeRuneInString(f.text)
	return words > 0 && unicode.IsLetter(r)
}

// knownName reports whether the first word is a first name or the last one a surname.
func (f *finder) knownName(words []string) bool {
	first, last := kindOf(words[0]), kindOf(words[len(words)-1])
	return first&names.First != 0 && last&(names.Word|names.Last) != names.Word
}
