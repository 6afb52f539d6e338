package agentcard

import (
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
)

// The IDs of the rules.
const (
	ruleShape              = "a2a-card/shape"
	ruleOldVersion         = "a2a-card/old-version"
	ruleRequired           = "a2a-card/required"
	ruleEmptyList          = "a2a-card/empty-list"
	ruleEmptyText          = "a2a-card/empty-text"
	ruleMemberName         = "a2a-card/member-name"
	ruleUnknownMember      = "a2a-card/unknown-member"
	ruleOldMember          = "a2a-card/old-member"
	ruleInterfaceURL       = "a2a-card/interface-url"
	rulePlainHTTP          = "a2a-card/plain-http"
	ruleURL                = "a2a-card/url"
	ruleBinding            = "a2a-card/binding"
	ruleProtocolVersion    = "a2a-card/protocol-version"
	ruleRepeatedInterface  = "a2a-card/repeated-interface"
	ruleMediaType          = "a2a-card/media-type"
	ruleRepeatedSkill      = "a2a-card/repeated-skill"
	ruleOneOf              = "a2a-card/one-of"
	ruleUndeclaredScheme   = "a2a-card/undeclared-scheme"
	ruleAPIKeyLocation     = "a2a-card/api-key-location"
	ruleDeprecatedFlow     = "a2a-card/deprecated-flow"
	ruleExtensionURI       = "a2a-card/extension-uri"
	ruleHandoffVersion     = "a2a-card/handoff-version"
	ruleHandoffParams      = "a2a-card/handoff-params"
	ruleHandoffMode        = "a2a-card/handoff-mode"
	ruleSignature          = "a2a-card/signature"
	ruleSignatureAlgorithm = "a2a-card/signature-algorithm"
	ruleNumber             = "a2a-card/number"
	ruleSecret             = "a2a-card/secret"
	ruleSDKForm            = "a2a-card/sdk-form"
)

// Rules returns all rules. The caller owns the slice.
func Rules() []finding.Rule {
	all := slices.Concat(shapeRules(), interfaceRules(), securityRules(), handoffRules(), signatureRules())
	for i := range all {
		all[i].Layer, all[i].Whole = finding.Protocol, true
		if all[i].Severity == "" {
			all[i].Severity = finding.Error
		}
	}
	return all
}

// severities returns the default severity of each rule.
var severities = sync.OnceValue(func() map[string]finding.Severity {
	all := map[string]finding.Severity{}
	for _, r := range Rules() {
		all[r.ID] = r.Severity
	}
	return all
})

// example returns a card like [Example] with some members replaced: pairs of a name and JSON,
// or "" to leave the member out.
func example(pairs ...string) string {
	members := []string{
		"name", `"Recipe Agent"`,
		"description", `"Finds recipes."`,
		"supportedInterfaces", `[{"url": "https://recipes.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]`,
		"version", `"1.0.0"`,
		"capabilities", `{"streaming": true}`,
		"defaultInputModes", `["text/plain"]`,
		"defaultOutputModes", `["text/plain"]`,
		"skills", exampleSkill(),
	}
	for i := 0; i < len(pairs); i += 2 {
		at := 0
		for at < len(members) && members[at] != pairs[i] {
			at += 2
		}
		if at == len(members) {
			members = append(members, pairs[i], "")
		}
		members[at+1] = pairs[i+1]
	}
	var lines []string
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			lines = append(lines, `"`+members[i]+`": `+members[i+1])
		}
	}
	return "{" + strings.Join(lines, ",\n ") + "}"
}

func exampleSkill() string {
	return `[{"id": "find", "name": "Find a recipe", "description": "Finds one by its ingredients.", "tags": ["cooking"]}]`
}

// exampleInterface returns supportedInterfaces with one interface.
func exampleInterface(url, binding, version string) string {
	return `[{"url": "` + url + `", "protocolBinding": "` + binding + `", "protocolVersion": "` + version + `"}]`
}

func shapeRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleShape,
		Summary: "The document is no JSON object, or a member has another type than A2A 1.0 says.",
		Why:     "Implementations read a card by a2a.proto, whose JSON has one type for each field. They fail on any other, or make a text of it that nobody has signed.",
		Bad:     example("defaultInputModes", `"text/plain"`),
		Good:    example(),
	}, {
		ID:      ruleOldVersion,
		Summary: "The card has the shape of A2A 0.3.",
		Why: "A client of A2A 1.0 finds no interface in it. Move url and preferredTransport into the first of supportedInterfaces, with protocolVersion, and additionalInterfaces after it; " +
			"security becomes securityRequirements, supportsAuthenticatedExtendedCard becomes capabilities.extendedAgentCard, and each security scheme goes under a member named after its type. " +
			"A server can serve both shapes in one card.",
		Bad:  example("supportedInterfaces", "", "url", `"https://recipes.example/a2a"`, "protocolVersion", `"0.3.0"`, "preferredTransport", `"JSONRPC"`),
		Good: example(),
	}, {
		ID:      ruleRequired,
		Summary: "A required member is missing.",
		Why:     "Section 5.7: a member that a2a.proto marks as REQUIRED must be there, and receivers should reject a card without it. null counts as missing.",
		Bad:     example("version", ""),
		Good:    example(),
	}, {
		ID:      ruleEmptyList,
		Summary: "A required array has no element.",
		Why:     "Section 5.7: arrays that are marked as required must contain at least one element. An agent without skills or interfaces cannot be used.",
		Bad:     example("skills", "[]"),
		Good:    example(),
	}, {
		ID:       ruleEmptyText,
		Summary:  "A required text is empty.",
		Why:      "Section 5.7 wants it set. To protobuf an empty text is the same as none, and @a2a-js/sdk leaves it out of what it signs.",
		Bad:      example("description", `""`),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:      ruleMemberName,
		Summary: "A member is named as in protobuf, or with other capitals.",
		Why:     "Section 5.5: JSON names are in camelCase, never in snake_case. Some implementations read both, and then a signature does not cover what they read.",
		Bad:     example("icon_url", `"https://recipes.example/icon.png"`),
		Good:    example("iconUrl", `"https://recipes.example/icon.png"`),
	}, {
		ID:      ruleUnknownMember,
		Summary: "A member is none of A2A 1.0.",
		Why: "Receivers ignore it, and those that read the card into protobuf lose it: they cannot verify a signature over it any more. " +
			"Data of your own belongs into params of an extension (capabilities.extensions).",
		Bad:      example("category", `"food"`),
		Good:     example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/category/v1", "params": {"category": "food"}}]}`),
		Severity: finding.Warning,
	}, {
		ID:       ruleOldMember,
		Summary:  "A member is of an earlier version of A2A.",
		Why:      "A2A 1.0 has another place for it, or none. Only cards that clients of 0.3 read too need it; it is an unknown member to all others.",
		Bad:      example("supportsAuthenticatedExtendedCard", "true"),
		Good:     example("capabilities", `{"streaming": true, "extendedAgentCard": true}`),
		Severity: finding.Warning,
	}, {
		ID:      ruleRepeatedSkill,
		Summary: "Two skills have the same id.",
		Why:     "Section 4.4.5: an id is unique. Clients that look a skill up find one of them.",
		Bad:     example("skills", `[{"id": "find", "name": "Find", "description": "Finds a recipe.", "tags": ["cooking"]}, {"id": "find", "name": "Plan", "description": "Plans a meal.", "tags": ["cooking"]}]`),
		Good:    example("skills", `[{"id": "find", "name": "Find", "description": "Finds a recipe.", "tags": ["cooking"]}, {"id": "plan", "name": "Plan", "description": "Plans a meal.", "tags": ["cooking"]}]`),
	}, {
		ID:       ruleMediaType,
		Summary:  "An input or output mode is no media type.",
		Why:      "Modes are media types such as text/plain and application/json. What clients do not know as one they cannot send.",
		Bad:      example("defaultInputModes", `["text"]`),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:       ruleExtensionURI,
		Summary:  "An extension has no URI.",
		Why:      "Section 4.6.1: the URI is how clients know an extension. One that is required and has none can be met by nobody.",
		Bad:      example("capabilities", `{"extensions": [{"description": "Categories", "required": true}]}`),
		Good:     example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/category/v1", "description": "Categories", "required": true}]}`),
		Severity: finding.Warning,
	}}
}

func interfaceRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleInterfaceURL,
		Summary: "The URL of an interface is not an absolute one.",
		Why:     "Section 4.4.6: clients connect to it as it is. That of JSONRPC and HTTP+JSON is an absolute HTTPS URL; GRPC may have hostname:port.",
		Bad:     example("supportedInterfaces", exampleInterface("/a2a", "JSONRPC", "1.0")),
		Good:    example(),
	}, {
		ID:       rulePlainHTTP,
		Summary:  "A URL for messages, tokens or keys is not an HTTPS URL.",
		Why:      "Whoever is on the way reads and changes what goes there. Section 4.4.6 asks for HTTPS in production, OAuth for TLS, and section 8.4.3 for secure channels to public keys. Addresses of the machine itself do not count.",
		Bad:      example("supportedInterfaces", exampleInterface("http://recipes.example/a2a", "JSONRPC", "1.0")),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:       ruleURL,
		Summary:  "A URL is not an absolute one.",
		Why:      "A card is read far from where it was made: nobody knows what a relative URL is relative to.",
		Bad:      example("iconUrl", `"icon.png"`),
		Good:     example("iconUrl", `"https://recipes.example/icon.png"`),
		Severity: finding.Warning,
	}, {
		ID:       ruleBinding,
		Summary:  "A protocolBinding is neither JSONRPC, GRPC, HTTP+JSON nor a URI.",
		Why:      "Clients compare it with these names as they are written. Section 5.8: a binding of your own is named by a URI.",
		Bad:      example("supportedInterfaces", exampleInterface("https://recipes.example/a2a", "jsonrpc", "1.0")),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:       ruleProtocolVersion,
		Summary:  "A protocolVersion is not of the form MAJOR.MINOR.",
		Why:      "Section 3.6: patch numbers should not be in cards, and do not count when a version is chosen.",
		Bad:      example("supportedInterfaces", exampleInterface("https://recipes.example/a2a", "JSONRPC", "1.0.1")),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:      ruleRepeatedInterface,
		Summary: "Two interfaces are the same.",
		Why:     "The order of interfaces is the order of preference: the second one is never chosen. It was meant to have another URL, binding, version or tenant.",
		Bad: example("supportedInterfaces", `[{"url": "https://recipes.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
  {"url": "https://recipes.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]`),
		Good: example("supportedInterfaces", `[{"url": "https://recipes.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
  {"url": "https://recipes.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}]`),
		Severity: finding.Warning,
	}}
}

func securityRules() []finding.Rule {
	const apiKey = `{"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}}}`
	const oauth = `{"login": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "https://login.example/token", "scopes": {"read": "Read recipes"}}}}}}`
	return []finding.Rule{{
		ID:      ruleOneOf,
		Summary: "A security scheme or the flows of OAuth have no member of their kinds, or several.",
		Why:     "a2a.proto allows one of them (oneof). Readers fail on several, or take any of them; without one, nobody knows how to authenticate.",
		Bad:     example("securitySchemes", `{"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}, "httpAuthSecurityScheme": {"scheme": "Bearer"}}}`),
		Good:    example("securitySchemes", apiKey),
	}, {
		ID:      ruleUndeclaredScheme,
		Summary: "A security requirement names a scheme that securitySchemes does not have.",
		Why:     "Nobody can meet it: how to authenticate is not said.",
		Bad:     example("securitySchemes", oauth, "securityRequirements", `[{"schemes": {"log-in": {"list": ["read"]}}}]`),
		Good:    example("securitySchemes", oauth, "securityRequirements", `[{"schemes": {"login": {"list": ["read"]}}}]`),
	}, {
		ID:      ruleAPIKeyLocation,
		Summary: "The location of an API key is none of query, header and cookie.",
		Why:     "Section 4.5.2 has these three: clients do not know where else to put the key.",
		Bad:     example("securitySchemes", `{"key": {"apiKeySecurityScheme": {"location": "Header", "name": "X-API-Key"}}}`),
		Good:    example("securitySchemes", apiKey),
	}, {
		ID:       ruleDeprecatedFlow,
		Summary:  "A flow of OAuth is a deprecated one: implicit or password.",
		Why:      "They give tokens and passwords to those who should not have them (RFC 9700). Use authorizationCode with PKCE, or deviceCode.",
		Bad:      example("securitySchemes", `{"login": {"oauth2SecurityScheme": {"flows": {"password": {"tokenUrl": "https://login.example/token", "scopes": {"read": "Read recipes"}}}}}}`),
		Good:     example("securitySchemes", oauth),
		Severity: finding.Warning,
	}, {
		ID:       ruleSecret,
		Summary:  "The card holds a credential.",
		Why:      "A card is public (section 14.3: it should not include sensitive credentials). Revoke the credential: whoever has fetched the card has it.",
		Bad:      example("description", `"Finds recipes. Use AKIAQ3EGRIXQWJZLX4TM to try it."`),
		Good:     example(),
		Severity: finding.Warning,
	}}
}

func signatureRules() []finding.Rule {
	const value = `"QFdkNLNszlGj3z3u0YQGt_T9LixY3qtdQpZmsTdDHDe3fXV9y9-B3m2-XgCpzuhiLt8E0tV6HXoZKHv4GtHgKQ"`
	signed := func(protected string) string {
		return `[{"protected": "` + protected + `", "signature": ` + value + `}]`
	}
	const good = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrZXktMSJ9" // {"alg":"ES256","typ":"JOSE","kid":"key-1"}
	return []finding.Rule{{
		ID:      ruleSignature,
		Summary: "A signature is not one: it is malformed, names no key, or its algorithm is none.",
		Why: "Section 8.4.2: protected is the base64url of a JSON object with alg and kid, signature that of the bytes. Nobody can verify anything else. " +
			"Whether a signature holds is for handoff a2a card verify.",
		Bad:  example("signatures", signed("eyJhbGciOiJub25lIiwidHlwIjoiSk9TRSIsImtpZCI6ImtleS0xIn0")), // {"alg":"none","typ":"JOSE","kid":"key-1"}
		Good: example("signatures", signed(good)),
	}, {
		ID:       ruleSignatureAlgorithm,
		Summary:  "A signature is of an algorithm other than ES256 and EdDSA.",
		Why:      "The specification allows any of RFC 7518. handoff verifies these two, which are those with short keys and without known mistakes to make.",
		Bad:      example("signatures", signed("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrZXktMSJ9")), // {"alg":"RS256","typ":"JOSE","kid":"key-1"}
		Good:     example("signatures", signed(good)),
		Severity: finding.Warning,
	}, {
		ID:       ruleNumber,
		Summary:  "A number is another one in canonical form.",
		Why:      "RFC 8785 makes every number a double, so that it could be changed under the signature: such a card is neither signed nor verified. Write the number as a string.",
		Bad:      example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/quota/v1", "params": {"quota": 9007199254740993}}]}`),
		Good:     example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/quota/v1", "params": {"quota": "9007199254740993"}}]}`),
		Severity: finding.Warning,
	}, {
		ID:      ruleSDKForm,
		Summary: "Signatures of the SDK for JavaScript do not cover a member, and it does not verify those that do.",
		Why: "@a2a-js/sdk leaves out of what it signs everything that is empty, wherever it is. Section 8.4.1 leaves out default values alone: required members stay, and so do objects, such as a scheme that a security requirement names without scopes. " +
			"Both agree on a card in which nothing is empty.",
		Bad:      example("securitySchemes", `{"cert": {"mtlsSecurityScheme": {}}}`),
		Good:     example("securitySchemes", `{"cert": {"mtlsSecurityScheme": {"description": "A certificate of the recipe club"}}}`),
		Severity: finding.Note,
	}}
}
