package privacy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// nameMembers are the names of members whose value is the name of a person, or a part of
// one, in small letters without separators.
const nameMembers = " firstname lastname surname givenname familyname middlename fullname maidenname vorname nachname nom prenom nombre apellido apellidos cognome sobrenome nomecompleto " +
	"customername patientname employeename contactname personname cardholder cardholdername nameoncard accountholder accountholdername applicantname guestname passengername recipientname " +
	"payeename sendername authorname ownername managername fname lname legalname "

// addressMembers are those whose value is a part of a postal address.
const addressMembers = " street streetaddress address address1 address2 addressline1 addressline2 homeaddress shippingaddress billingaddress postaladdress mailingaddress strasse anschrift " +
	"direccion direccion adresse indirizzo endereco residence deliveryaddress line1 "

// whole looks at a text that is personal data as a whole, by the name of its member.
func (f *finder) whole() {
	if f.member == "" || len(f.text) > 120 || len(f.text) < 2 {
		return
	}
	name := plainName(f.member)
	switch {
	case strings.Contains(nameMembers, " "+name+" "):
		if f.isName(6) {
			f.addWhole(Person, 0.85)
		}
	case name == "name" || name == "person" || name == "customer" || name == "patient" || name == "contact":
		// Names of tools and files are called so too.
		if words := strings.Fields(f.text); len(words) >= 2 && len(words) <= 4 && f.isName(4) && f.knownName(words) {
			f.addWhole(Person, 0.7)
		}
	case strings.Contains(addressMembers, " "+name+" "):
		if strings.IndexFunc(f.text, unicode.IsDigit) >= 0 && strings.IndexByte(f.text, ' ') > 0 && !strings.Contains(f.text, "://") && !strings.Contains(f.text, "@") {
			f.addWhole(Address, 0.75)
		}
	}
}

// plainName returns the name of a member in small letters, without what separates words.
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

// isName reports whether the text is of letters alone, in at most so many words.
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

// knownName reports whether the first word is a first name, or the last one a surname.
func (f *finder) knownName(words []string) bool {
	first, last := kindOf(words[0]), kindOf(words[len(words)-1])
	return first&names.First != 0 && last&(names.Word|names.Last) != names.Word
}
