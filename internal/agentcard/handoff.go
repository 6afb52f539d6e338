package agentcard

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/a2a"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// handoffRules returns the rules for declarations of the handoff extension.
func handoffRules() []finding.Rule {
	declared := func(uri, params string) string {
		return example("capabilities", `{"extensions": [{"uri": "`+uri+`", "params": `+params+`}]}`, "defaultInputModes", `["application/json"]`)
	}
	const params = `{"agentTypes": ["recipe-agent"], "schemaVersions": ">=2.0 <3", "signatureRequired": true, "signatureAlgorithms": ["ed25519"]}`
	return []finding.Rule{{
		ID:       ruleHandoffVersion,
		Summary:  "The URI of an extension resembles the URI of the handoff extension.",
		Why:      "URIs are compared character by character, and the end of the URI is the version. Clients that support " + a2a.ExtensionURI + " do not send handoffs to an agent that declares another URI.",
		Bad:      declared(a2a.ExtensionURI+"/", params),
		Good:     declared(a2a.ExtensionURI, params),
		Severity: finding.Warning,
	}, {
		ID:      ruleHandoffParams,
		Summary: "A member in the params of the handoff extension does not match the extension's specification.",
		Why:     "Senders use the params to choose a receiver and a signature. docs/a2a.md has the specification, and a2a-handoff-1.schema.json has its JSON Schema.",
		Bad:     declared(a2a.ExtensionURI, `{"agentTypes": "recipe-agent"}`),
		Good:    declared(a2a.ExtensionURI, params),
	}, {
		ID:       ruleHandoffMode,
		Summary:  "The card declares the handoff extension, but no input mode is application/json.",
		Why:      "A handoff is a part of this media type. An agent may reject media types that are not among its input modes, and clients do not send them.",
		Bad:      example("capabilities", `{"extensions": [{"uri": "`+a2a.ExtensionURI+`"}]}`),
		Good:     declared(a2a.ExtensionURI, params),
		Severity: finding.Warning,
	}}
}

// checkHandoffExtension checks a declaration of the handoff extension.
func (c *checker) checkHandoffExtension(v jsonstream.Value) {
	switch uri := v.Get("uri"); {
	case uri.Text() == a2a.ExtensionURI:
		c.checkHandoffParams(v.Get("params"))
		if !c.takesJSON() {
			c.report(ruleHandoffMode, uri, "the agent accepts handoffs, so it needs the media type application/json: add it to defaultInputModes, or to the inputModes of a skill")
		}
	case resemblesHandoff(uri.Text()):
		c.report(ruleHandoffVersion, uri, "the URI is not the URI of the handoff extension: found %s; write %s", finding.QuoteValue(uri), finding.Quote(a2a.ExtensionURI))
	}
}

// resemblesHandoff reports whether a URI probably means the handoff extension, in another version or
// spelling.
func resemblesHandoff(uri string) bool {
	simple := func(uri string) string {
		_, path, _ := strings.Cut(strings.ToLower(uri), "://")
		return strings.TrimPrefix(path, "www.")
	}
	return strings.HasPrefix(simple(uri)+"/", simple(a2a.ExtensionBase))
}

// takesJSON reports whether an input mode of the card is JSON.
func (c *checker) takesJSON() bool {
	lists := []jsonstream.Value{c.card.Get("defaultInputModes")}
	for _, skill := range c.card.Get("skills").Elements() {
		lists = append(lists, skill.Get("inputModes"))
	}
	return slices.ContainsFunc(lists, func(list jsonstream.Value) bool {
		for _, mode := range list.Elements() {
			if mode.Text() == "application/json" || mode.Text() == "application/*" || mode.Text() == "*/*" {
				return true
			}
		}
		return false
	})
}

// A handoffParam is a member of the params of the handoff extension, or an element of a member that is a
// list.
type handoffParam struct {
	expected string
	list     bool // it is an array of at least one such value
	fits     func(v jsonstream.Value) bool
}

// handoffParams are the members of the params in a2a-handoff-1.schema.json.
var handoffParams = map[string]handoffParam{
	"agentTypes": {"the name of a type of agent", true, func(v jsonstream.Value) bool { return v.Text() != "" }},
	"agentVersion": {`a semantic version, such as "2.1.0"`, false, func(v jsonstream.Value) bool {
		_, err := semver.Parse(v.Text())
		return err == nil
	}},
	"schemaVersions": {`a range of versions, such as ">=2.0 <3"`, false, func(v jsonstream.Value) bool {
		_, err := semver.ParseRange(v.Text())
		return err == nil
	}},
	"maxBytes": {"a whole number above 0", false, func(v jsonstream.Value) bool {
		if v.Kind() != jsonstream.Number || !jsonstream.SafeNumber(v.Raw()) {
			return false
		}
		n := jsonstream.ParseDecimal(v.Raw())
		return n.IsInteger() && n.Sign() > 0
	}},
	"signatureRequired": {"true or false", false, func(v jsonstream.Value) bool {
		return v.Kind() == jsonstream.True || v.Kind() == jsonstream.False
	}},
	"signatureAlgorithms": {`"ed25519" or "hmac-sha256"`, true, func(v jsonstream.Value) bool {
		return v.Text() == "ed25519" || v.Text() == "hmac-sha256"
	}},
}

func (c *checker) checkHandoffParams(params jsonstream.Value) {
	for name, v := range params.Members() {
		param, ok := handoffParams[name]
		switch {
		case !ok:
			c.reportName(ruleUnknownMember, v, "the params of the handoff extension have no member %s: remove it", finding.Quote(name))
		case param.list && v.Len() == 0, param.list && v.Kind() != jsonstream.Array:
			c.report(ruleHandoffParams, v, "expected an array with at least one element, %s; found %s", param.expected, finding.QuoteValue(v))
		case param.list:
			for _, element := range v.Elements() {
				if !param.fits(element) {
					c.report(ruleHandoffParams, element, "expected %s; found %s", param.expected, finding.QuoteValue(element))
				}
			}
		case !param.fits(v):
			c.report(ruleHandoffParams, v, "expected %s; found %s", param.expected, finding.QuoteValue(v))
		}
	}
}
