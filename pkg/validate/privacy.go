package validate

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
)

// checkPrivacy returns warnings about personal data in all text of the message, including text carried in
// base64. The warnings do not show the data.
func checkPrivacy(doc *jsonstream.Document, format format.Format, o Options) []finding.Finding {
	if o.Privacy == nil {
		return nil
	}
	var findings []finding.Finding
	for _, found := range redact.Find(doc, format, o.Privacy, o.Limits) {
		if len(findings) == maxFindings {
			break
		}
		what := found.What()
		f := finding.Finding{
			Layer: finding.Privacy, Reason: SafetyViolation, Severity: finding.Warning, Rule: "privacy/" + string(found.Class),
			Message: fmt.Sprintf("found %s; redact it, or allow it in the policy", what), Found: what, Fix: "redact it, or allow it in the policy",
		}
		if at := found.Value; found.InName {
			f = f.On(at.Parent())
		} else if at.Exists() {
			f = f.On(at)
		}
		if found.Holder.Exists() {
			f = f.Inside(found.Holder)
		} else {
			f = f.At(f.Pointer, found.Position())
		}
		findings = append(findings, f)
	}
	return findings
}

// privacyExamples are texts with personal data of each class, and without.
var privacyExamples = map[privacy.Class]struct{ bad, good string }{
	privacy.Email:      {"Write to ada@example.com", "Write to the customer"},
	privacy.Phone:      {"Call +44 20 7946 0958", "Call the customer"},
	privacy.IBAN:       {"Pay to DE89 3704 0044 0532 0130 00", "Pay to the account on file"},
	privacy.Card:       {"Refund 4111 1111 1111 1111", "Refund the card that ends with 1111"},
	privacy.NationalID: {"SSN 219-09-9999", "Ask for the last four digits"},
	privacy.Passport:   {"Passport No. X1234567", "The passport was checked"},
	privacy.Licence:    {"Driver's license D1234567", "The licence was checked"},
	privacy.IP:         {"Logged in from 203.0.113.7", "Logged in from abroad"},
	privacy.MAC:        {"Device 00:1B:44:11:3A:B7", "Device of the customer"},
	privacy.BirthDate:  {"Born on 17 March 1990", "Over 18 years old"},
	privacy.HealthID:   {"MRN: 00123456", "The patient was found"},
	privacy.Account:    {"Account number 12345678", "The account on file"},
	privacy.Address:    {"Send it to 12 Main Street, Springfield, IL 62704", "Send it to the address on file"},
	privacy.Person:     {"Ask Ada Lovelace about it", "Ask the customer about it"},
}

// privacyRules are the rules of the classes that are found without a policy.
func privacyRules() []finding.Rule {
	var rules []finding.Rule
	for _, class := range append(privacy.Classes(), redact.Hidden) {
		example := privacyExamples[class]
		r := finding.Rule{
			ID: "privacy/" + string(class), Layer: finding.Privacy, Reason: SafetyViolation, Severity: finding.Warning,
			Summary: "Personal data in the message: " + redact.Found{Class: class}.What() + ".",
			Why:     "Personal data should not be passed to another agent without need. This rule is checked only when a policy is given; handoff redact replaces such data, and the policy can allow values, places and classes.",
		}
		if example.bad != "" {
			r.Bad, r.Good = summaryExample(example.bad), summaryExample(example.good)
		}
		rules = append(rules, r)
	}
	return rules
}
