package privacy

import (
	"fmt"
	"testing"
)

// found returns the matches of the default policy as "class kind:text" lines.
func found(name, text string) []string {
	s, err := New(Policy{})
	if err != nil {
		panic(err)
	}
	var got []string
	for _, m := range s.Find(nil, name, text) {
		kind := ""
		if m.Kind != "" {
			kind = "(" + m.Kind + ")"
		}
		got = append(got, fmt.Sprintf("%s%s:%s", m.Class, kind, text[m.Start:m.End]))
	}
	return got
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		// E-mail addresses.
		{"write to ada@example.com.", []string{"email:ada@example.com"}},
		{"<o'brien+tag@mail.example.co.uk>", []string{"email:o'brien+tag@mail.example.co.uk"}},
		{"jürgen@müller.example", []string{"email:jürgen@müller.example"}},
		{"npm install left-pad@1.3.0", nil},
		{"git@github.com:eaapl/handoff.git", nil},
		{"meet @ada at 5", nil},
		// Telephone numbers that regulators reserve for films.
		{"call +44 20 7946 0958 now", []string{"phone(GB):+44 20 7946 0958"}},
		{"call +44 (0)20 7946 0958 now", []string{"phone(GB):+44 (0)20 7946 0958"}},
		{"call (212) 555-0123 x45", []string{"phone(US):(212) 555-0123 x45"}},
		{"212-555-0123", []string{"phone(US):212-555-0123"}},
		{"Tel.: 030 23125 000", []string{"phone:030 23125 000"}},
		{"+1-202-555-0175", []string{"phone(US):+1-202-555-0175"}},
		{"+33 1 42 68 53 00", []string{"phone(FR):+33 1 42 68 53 00"}},
		{"in 2024-11-22 and 1999-2024, 12.5 of 1234567.89", nil},
		// Examples of the SWIFT registry.
		{"IBAN DE89 3704 0044 0532 0130 00.", []string{"iban(DE):DE89 3704 0044 0532 0130 00"}},
		{"GB29NWBK60161331926819", []string{"iban(GB):GB29NWBK60161331926819"}},
		{"FR14 2004 1010 0505 0001 3M02 606", []string{"iban(FR):FR14 2004 1010 0505 0001 3M02 606"}},
		// Test numbers of the card schemes.
		{"4111 1111 1111 1111", []string{"payment-card(visa):4111 1111 1111 1111"}},
		{"3782-822463-10005", []string{"payment-card(amex):3782-822463-10005"}},
		{"5555555555554444", []string{"payment-card(mastercard):5555555555554444"}},
		{"4111 1111 1111 1112", nil},
		{"at 1700000000000 ms", nil},
		// Networks.
		{"from 203.0.113.7, 2001:db8::8a2e:370:7334", []string{"ip-address(ipv4):203.0.113.7", "ip-address(ipv6):2001:db8::8a2e:370:7334"}},
		{"127.0.0.1 and version 1.2.3.4 at 12:34:56", nil},
		{"00:1B:44:11:3A:B7", []string{"mac-address:00:1B:44:11:3A:B7"}},
		// The output of programs.
		{"018f3c5a-7b1e-7c3d-9a4b-2d1e6f7a8b9c 2026-11-22T16:51:51.000Z 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", nil},
		// Dates of birth.
		{"born on 17 March 1990", []string{"birth-date:17 March 1990"}},
		{"DOB: 03/17/1990", []string{"birth-date:03/17/1990"}},
		{"geboren am 17.03.1990", []string{"birth-date:17.03.1990"}},
		{"due on 17.03.2026", nil},
		{"生年月日：1990年5月17日", []string{"birth-date:1990年5月17日"}},
		// Values with a label.
		{"Passport No. X1234567", []string{"passport:X1234567"}},
		{"MRN: 00123456", []string{"health-id:00123456"}},
		{"account number 12345678", []string{"account-number:12345678"}},
		{"order number 12345678", nil},
		// Addresses.
		{"I live at 12 Main Street, Springfield, IL 62704.", []string{"address:12 Main Street, Springfield, IL 62704"}},
		{"Anschrift: Hauptstraße 12, 10115 Berlin", []string{"address:Hauptstraße 12, 10115 Berlin"}},
		{"au 12 rue de la Paix, 75002 Paris", []string{"address:12 rue de la Paix, 75002 Paris"}},
		{"10 Downing Street, London SW1A 2AA", []string{"address:10 Downing Street, London SW1A 2AA"}},
		{"Run 3 Tests And Report", nil},
		// Names.
		{"Ask Ada Lovelace about it", []string{"person:Ada Lovelace"}},
		{"Dear Mr. Okonkwo, thank you", []string{"person:Okonkwo"}},
		{"My name is Jennifer.", []string{"person:Jennifer"}},
		{"I'm Ada Lovelace. Don't Ask Me", []string{"person:Ada Lovelace"}},
		{"Thank You For Your Order", nil},
		{"The Grace Period Ends On Monday", nil},
		{"请联系王小明先生", []string{"person:王小明"}},
		{"Johnson Hospital and Smith Street", nil},
	} {
		if got := found("", tt.text); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// TestIDs has examples that the issuers, or documents about them, have published.
func TestIDs(t *testing.T) {
	for _, tt := range []struct{ kind, text string }{
		{"us-ssn", "219-09-9999"}, {"us-ssn", "SSN 219099999"}, {"us-itin", "912-70-1234"},
		{"cn-resident-id", "11010519491231002X"},
		{"de-tax-id", "steuerliche Identifikationsnummer 86095742719"}, {"de-tax-id", "IdNr 47 036 892 816"},
		{"de-social-security", "15070649C103"},
		{"in-aadhaar", "Aadhaar 2341 2341 2346"}, {"in-pan", "PAN ABCPE1234F"},
		{"jp-my-number", "マイナンバー 123456789018"},
		{"gb-nino", "AB 12 34 56 C"}, {"gb-nhs", "NHS number 943 476 5919"},
		{"fr-nir", "2 55 08 14 168 025 38"}, {"it-codice-fiscale", "RSSMRA85T10A562S"},
		{"ca-sin", "SIN 046 454 286"}, {"br-cpf", "529.982.247-25"}, {"br-cnpj", "11.222.333/0001-81"},
		{"ru-inn", "ИНН 500100732259"}, {"ru-snils", "112-233-445 95"}, {"kr-rrn", "880101-1234567"},
		{"au-tfn", "TFN 123 456 782"}, {"au-medicare", "Medicare 2123 45670 1"},
		{"es-dni", "12345678Z"}, {"es-nie", "X1234567L"}, {"mx-curp", "HEGG560427MVZRRL04"},
		{"nl-bsn", "BSN 111222333"}, {"pl-pesel", "PESEL 44051401359"}, {"se-personnummer", "811218-9876"},
		{"no-fodselsnummer", "fødselsnummer 13097248022"}, {"fi-hetu", "131052-308T"}, {"ch-ahv", "756.9217.0769.85"},
		{"be-national-number", "85.07.30-033.28"}, {"tr-kimlik", "kimlik 10000000146"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			s, _ := New(Policy{})
			m := s.Find(nil, "", tt.text)
			if len(m) != 1 || m[0].Class != NationalID || m[0].Kind != tt.kind {
				t.Fatalf("%s: got %v", tt.text, found("", tt.text))
			}
			// If the last character is a check digit, another one makes the id invalid.
			switch tt.kind {
			case "us-ssn", "us-itin", "in-pan", "kr-rrn", "gb-nino", "au-medicare":
				return
			}
			last := tt.text[len(tt.text)-1]
			other := tt.text[:len(tt.text)-1] + string(rune(last^1))
			if last == '9' {
				other = tt.text[:len(tt.text)-1] + "0"
			}
			for _, m := range s.Find(nil, "", other) {
				if m.Kind == tt.kind {
					t.Errorf("%s: found, although its check digit is wrong", other)
				}
			}
		})
	}
}
