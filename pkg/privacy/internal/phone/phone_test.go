package phone

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write phones.txt.gz from libphonenumber's metadata")

// TestTable derives the table from the library, and compares it with the one here.
func TestTable(t *testing.T) {
	metadata, err := phonenumbers.MetadataCollection()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range metadata.GetMetadata() {
		if m.GetId() == "001" {
			continue // not a region
		}
		var forms []string
		for _, d := range []*phonenumbers.PhoneNumberDesc{
			m.GetFixedLine(), m.GetMobile(), m.GetTollFree(), m.GetPremiumRate(), m.GetSharedCost(),
			m.GetPersonalNumber(), m.GetVoip(), m.GetPager(), m.GetUan(), m.GetVoicemail(),
		} {
			form := strings.Join(strings.Fields(d.GetNationalNumberPattern()), "")
			if form != "" && form != "NA" && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
		prefix := m.GetNationalPrefix()
		if prefix == "" {
			prefix = "-"
		}
		lines = append(lines, fmt.Sprintf("%s %d %s %s\n", m.GetId(), m.GetCountryCode(), prefix, strings.Join(forms, "|")))
	}
	slices.Sort(lines)
	var want bytes.Buffer
	w, _ := gzip.NewWriterLevel(&want, gzip.BestCompression)
	fmt.Fprint(w, strings.Join(lines, ""))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("phones.txt.gz", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(table, want.Bytes()) {
		t.Error("phones.txt.gz is not what the library has: go test ./pkg/privacy/internal/phone -run TestTable -update")
	}
}

// TestLibrary compares the answers with those of the library.
func TestLibrary(t *testing.T) {
	var codes []int
	for region := range phonenumbers.GetSupportedRegions() {
		codes = append(codes, phonenumbers.GetCountryCodeForRegion(region))
	}
	slices.Sort(codes)
	rapid.Check(t, func(t *rapid.T) {
		digits := fmt.Sprint(rapid.SampledFrom(codes).Draw(t, "code")) + rapid.StringMatching(`[1-9][0-9]{6,10}`).Draw(t, "number")
		number, err := phonenumbers.Parse("+"+digits, "ZZ")
		want := err == nil && phonenumbers.IsValidNumber(number)
		if want && "+"+digits != phonenumbers.Format(number, phonenumbers.E164) {
			return // read with a national prefix
		}
		if _, got := International(digits); got != want {
			t.Fatalf("+%s is a number: %v, want %v", digits, got, want)
		}
	})
}

func TestNational(t *testing.T) {
	for _, tt := range []struct {
		region, digits string
		want           bool
	}{
		{"DE", "03012345678", true},
		{"DE", "3012345678", false},
		{"US", "2125550123", true},
		{"US", "12125550123", true},
		{"US", "1235550123", false},
		{"GB", "02079460000", true},
		{"FR", "0142685300", true},
		{"IT", "0212345678", true},
		{"ZZ", "2125550123", false},
	} {
		if got := National(tt.region, tt.digits); got != tt.want {
			t.Errorf("National(%s, %s) = %v", tt.region, tt.digits, got)
		}
	}
}
