package privacy_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/privacy"
)

func TestExamplePolicy(t *testing.T) {
	doc, err := yamldoc.Parse([]byte(privacy.ExamplePolicy))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := privacy.ParsePolicy(doc.Raw().Bytes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := privacy.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	text := "E-123456 called +1 (212) 555-0100 from 00:1B:44:11:3A:B7 and desk@support.example.com"
	found := s.Find(nil, "", text)
	if len(found) != 1 || found[0].Class != "employee-number" {
		t.Errorf("found %v", found)
	}
}

func TestParsePolicyErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"classes":{"mail":{}}}`:                              "/classes/mail: unknown class",
		`{"classes":{"email":{"threshold":2}}}`:                "/classes/email/threshold: 2",
		`{"allowed":[]}`:                                       "/allowed: unknown member",
		`{"allow":[1]}`:                                        "/allow/0: a value of the wrong type",
		`{"allow":["@"]}`:                                      "/allow/0: empty",
		`{"patterns":[{"class":"A b","pattern":"x"}]}`:         "/patterns/0/class",
		`{"patterns":[{"class":"a","pattern":"("}]}`:           "/patterns/0/pattern",
		`{"patterns":[{"class":"a","pattern":"x*"}]}`:          "matches the empty text",
		`{"patterns":[{"class":"a","pattern":"x","score":2}]}`: "/patterns/0/score",
		`{"always":["a"]}`:                                     "/always/0",
		`{"never":["a"]}`:                                      "/never/0",
		`{"regions":["Germany"]}`:                              "/regions/0",
	} {
		if _, err := privacy.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
