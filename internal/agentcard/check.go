package agentcard

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxFindings is the maximum number of findings for one card: a hostile one could have millions.
const maxFindings = 1000

// Check returns the findings of [Rules] in a card of A2A 1.0, in the order of its text; at most the first
// thousand. A document that is not an object, is longer than [MaxBytes], or is a card of A2A 0.3 has a single
// finding. Check does not verify signatures.
func Check(card *jsonstream.Document) []finding.Finding {
	c := &checker{card: card.Root(), schemes: map[string]bool{}}
	for name := range c.card.Get("securitySchemes").Members() {
		c.schemes[name] = true
	}
	switch {
	case c.card.Kind() != jsonstream.Object:
		c.report(ruleShape, c.card, "expected the JSON object of an AgentCard; found %s", finding.QuoteValue(c.card))
		return c.found
	case len(c.card.Raw()) > MaxBytes:
		c.report(ruleShape, c.card, "%v", ErrTooLarge)
		return c.found
	case isOld(c.card):
		c.report(ruleOldVersion, c.card, "the card has the shape of A2A 0.3, with %s and without supportedInterfaces: %s", strings.Join(oldNames(c.card), ", "),
			"in A2A 1.0, url, preferredTransport and protocolVersion are members of supportedInterfaces, and additionalInterfaces its other elements")
		return c.found
	}
	c.walk(c.card, cardType())
	c.checkSecrets()
	number := (*jsonstream.NumberError)(nil)
	if err := jsonstream.WriteCanonical(io.Discard, c.card, covered); errors.As(err, &number) {
		c.found = append(c.found, newFinding(ruleNumber, "%s", number.Error()).At(number.Pointer, number.Position))
	}
	c.checkSDKForm()
	slices.SortStableFunc(c.found, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return c.found
}

// A checker collects the findings of a card.
type checker struct {
	card    jsonstream.Value
	schemes map[string]bool // the names of securitySchemes
	found   []finding.Finding
}

// report adds a finding at a value.
func (c *checker) report(rule string, at jsonstream.Value, format string, args ...any) {
	if len(c.found) < maxFindings {
		c.found = append(c.found, newFinding(rule, format, args...).On(at))
	}
}

// reportName adds a finding at the name of a member.
func (c *checker) reportName(rule string, at jsonstream.Value, format string, args ...any) {
	if len(c.found) < maxFindings {
		c.found = append(c.found, newFinding(rule, format, args...).OnName(at))
	}
}

func newFinding(rule, format string, args ...any) finding.Finding {
	return finding.Finding{Rule: rule, Layer: finding.Protocol, Severity: severities()[rule], Message: fmt.Sprintf(format, args...)}
}

// walk checks a message by its fields, and then by its own rules.
func (c *checker) walk(v jsonstream.Value, m *messageType) {
	if v.Kind() != jsonstream.Object {
		c.report(ruleShape, v, "expected an object; found %s", finding.QuoteValue(v))
		return
	}
	chosen, several := 0, false
	for name, member := range v.Members() {
		f := m.byName[name]
		switch {
		case f == nil:
			c.checkName(v, member, m)
		case member.Kind() == jsonstream.Null:
			// The same as absent.
		case !f.hasType(member, false):
			c.report(ruleShape, member, "expected %s; found %s", f.expected(false), finding.QuoteValue(member))
		default:
			if f.oneof {
				chosen++
			}
			c.walkField(member, f)
		}
	}
	for _, f := range m.fields {
		several = several || f.oneof
		if member := v.Get(f.name); f.required && (!member.Exists() || member.Kind() == jsonstream.Null) {
			c.checkMissing(v, f)
		}
	}
	if several && chosen != 1 {
		c.report(ruleOneOf, v, "expected one of %s; found %s", oneOfNames(m), map[bool]string{true: "none", false: "several"}[chosen == 0])
	}
	c.checkMessage(v, m)
}

// checkMissing reports a missing required member, unless a misspelled name is reported instead.
func (c *checker) checkMissing(v jsonstream.Value, f *field) {
	if member := v.Get(f.name); member.Exists() {
		c.report(ruleRequired, member, "the required member %q is null: write %s, or remove the object", f.name, f.expected(false))
		return
	}
	for name := range v.Members() {
		if f.name == (&messageType{fields: []*field{f}}).misspelled(name) {
			return
		}
	}
	c.report(ruleRequired, v, "the required member %q is missing: add %s", f.name, f.expected(false))
}

// walkField checks the value of a field.
func (c *checker) walkField(v jsonstream.Value, f *field) {
	switch {
	case f.required && f.list && v.Len() == 0:
		c.report(ruleEmptyList, v, "expected at least one element; found none")
	case f.required && f.isZero(v) && !f.dict:
		c.report(ruleEmptyText, v, "a required string is empty: write a value")
	case f.deprecated:
		c.reportName(ruleDeprecatedFlow, v, "%s is deprecated: use authorizationCode with PKCE, or deviceCode", f.name)
	}
	f.items(v, func(item jsonstream.Value) {
		switch {
		case !f.hasType(item, true):
			c.report(ruleShape, item, "expected %s; found %s", f.expected(true), finding.QuoteValue(item))
		case f.of != nil:
			c.walk(item, f.of)
		}
	})
}

func oneOfNames(m *messageType) string {
	var names []string
	for _, f := range m.fields {
		if f.oneof {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// checkName reports a member that a message does not define.
func (c *checker) checkName(v, member jsonstream.Value, m *messageType) {
	name := member.Name()
	meant := m.misspelled(name)
	switch {
	case meant != "" && v.Get(meant).Exists():
		c.reportName(ruleMemberName, member, "this is another spelling of %s, which is also present: remove it", meant)
	case meant != "":
		c.reportName(ruleMemberName, member, "this spelling is wrong: write %s", meant)
	case oldMembers[m.name][name] != "":
		c.reportName(ruleOldMember, member, "this member is from an earlier version of A2A: %s", oldMembers[m.name][name])
	default:
		c.reportName(ruleUnknownMember, member, "%s of A2A 1.0 has no member %s: put it into params of an extension, or remove it", m.name, finding.Quote(name))
	}
}

// oldMembers are the members of A2A 0.3 that 1.0 does not have, by their message, and their replacements
// (appendix A.2 of A2A 1.0).
var oldMembers = map[string]map[string]string{
	"AgentCard": {
		"url":                               "supportedInterfaces has the URLs",
		"preferredTransport":                "the first of supportedInterfaces is preferred",
		"protocolVersion":                   "each of supportedInterfaces has its own",
		"additionalInterfaces":              "supportedInterfaces has them",
		"security":                          "it is now securityRequirements",
		"supportsAuthenticatedExtendedCard": "it is now extendedAgentCard in capabilities",
		"supportsExtendedAgentCard":         "it is now extendedAgentCard in capabilities",
	},
	"AgentCapabilities": {"stateTransitionHistory": "it was removed"},
	"AgentInterface":    {"transport": "it is now protocolBinding"},
	"AgentSkill":        {"security": "it is now securityRequirements"},
	"SecurityScheme": {
		"type":             "the scheme is in a member with the name of the type, such as apiKeySecurityScheme",
		"in":               "it is now location in apiKeySecurityScheme",
		"name":             "it is now in apiKeySecurityScheme",
		"scheme":           "it is now in httpAuthSecurityScheme",
		"bearerFormat":     "it is now in httpAuthSecurityScheme",
		"flows":            "they are now in oauth2SecurityScheme",
		"openIdConnectUrl": "it is now in openIdConnectSecurityScheme",
		"description":      "it is now in the scheme of its type",
	},
}

// oldNames returns the members of the card that A2A 0.3 has at the top level and 1.0 does not, in the order
// of the text.
func oldNames(card jsonstream.Value) []string {
	var names []string
	for name := range card.Members() {
		if oldMembers["AgentCard"][name] != "" {
			names = append(names, name)
		}
	}
	return names
}

// isOld reports whether a card is of A2A 0.3 and not of 1.0.
func isOld(card jsonstream.Value) bool {
	for name := range card.Members() {
		if cardType().misspelled(name) == "supportedInterfaces" {
			return false
		}
	}
	return card.Get("url").Exists() || card.Get("protocolVersion").Exists() || card.Get("additionalInterfaces").Exists()
}

// checkSecrets looks for credentials in every text.
func (c *checker) checkSecrets() {
	if !secrets.MayHold(c.card.Raw()) {
		return
	}
	for name, member := range c.card.Members() {
		if name == signatures {
			continue // signatures are random
		}
		for v := range member.All() {
			for _, text := range []string{v.Text(), v.Name()} {
				if found := secrets.Find(text); len(found) > 0 {
					c.report(ruleSecret, v, "contains %s, but a card is public: remove and revoke it", found[0])
					break
				}
			}
		}
	}
}

// checkSDKForm reports data that the SDK does not sign, unless another rule has a finding there.
func (c *checker) checkSDKForm() {
	_, lost := sdkForm(c.card, false)
	isBelow := func(pointer, above string) bool { return strings.HasPrefix(pointer, above+"/") }
	for _, pointer := range lost {
		known := slices.ContainsFunc(c.found, func(f finding.Finding) bool {
			return f.Pointer == pointer || isBelow(f.Pointer, pointer) || f.Pointer != "" && isBelow(pointer, f.Pointer)
		})
		if known || slices.ContainsFunc(lost, func(other string) bool { return isBelow(pointer, other) }) {
			continue
		}
		c.report(ruleSDKForm, c.card.At(pointer), "is empty: signatures of @a2a-js/sdk do not cover it, and the SDK cannot verify signatures that do")
	}
}
