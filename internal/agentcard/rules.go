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
		Summary: "The document is not a JSON object, or a member does not have the type that A2A 1.0 defines.",
		Why:     "Implementations read a card with a2a.proto, which defines one JSON type for each field. They fail on any other type, or convert it to a text that is not covered by a signature.",
		Bad:     example("defaultInputModes", `"text/plain"`),
		Good:    example(),
	}, {
		ID:      ruleOldVersion,
		Summary: "The card has the shape of A2A 0.3.",
		Why: "A client of A2A 1.0 finds no interface in it. Move url, preferredTransport and protocolVersion into the first element of supportedInterfaces, and additionalInterfaces into the other elements; " +
			"security becomes securityRequirements, supportsAuthenticatedExtendedCard becomes capabilities.extendedAgentCard, and each security scheme goes under a member named after its type. " +
			"A server can serve both shapes in one card.",
		Bad:  example("supportedInterfaces", "", "url", `"https://recipes.example/a2a"`, "protocolVersion", `"0.3.0"`, "preferredTransport", `"JSONRPC"`),
		Good: example(),
	}, {
		ID:      ruleRequired,
		Summary: "A required member is missing.",
		Why:     "According to section 5.7, a member that a2a.proto marks as REQUIRED must be present, and receivers should reject a card without it. A null counts as missing.",
		Bad:     example("version", ""),
		Good:    example(),
	}, {
		ID:      ruleEmptyList,
		Summary: "A required array is empty.",
		Why:     "According to section 5.7, required arrays must contain at least one element. An agent without skills or interfaces cannot be used.",
		Bad:     example("skills", "[]"),
		Good:    example(),
	}, {
		ID:       ruleEmptyText,
		Summary:  "A required string is empty.",
		Why:      "Section 5.7 requires a value. For protobuf, an empty string is the same as a missing one, and signatures of @a2a-js/sdk do not cover it.",
		Bad:      example("description", `""`),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:      ruleMemberName,
		Summary: "The name of a member is in snake_case, or has the wrong capitals.",
		Why:     "According to section 5.5, JSON names are in camelCase, never in snake_case. Some implementations read both, and then the signature does not cover the member that they read.",
		Bad:     example("icon_url", `"https://recipes.example/icon.png"`),
		Good:    example("iconUrl", `"https://recipes.example/icon.png"`),
	}, {
		ID:      ruleUnknownMember,
		Summary: "A member is not defined by A2A 1.0.",
		Why: "Receivers ignore it. Receivers that use protobuf lose it, and then cannot verify a signature over it. " +
			"Put your own data into params of an extension (capabilities.extensions).",
		Bad:      example("category", `"food"`),
		Good:     example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/category/v1", "params": {"category": "food"}}]}`),
		Severity: finding.Warning,
	}, {
		ID:       ruleOldMember,
		Summary:  "A member is of an earlier version of A2A.",
		Why:      "A2A 1.0 has moved or removed it. Only cards for clients of A2A 0.3 need it; to other clients, it is an unknown member.",
		Bad:      example("supportsAuthenticatedExtendedCard", "true"),
		Good:     example("capabilities", `{"streaming": true, "extendedAgentCard": true}`),
		Severity: finding.Warning,
	}, {
		ID:      ruleRepeatedSkill,
		Summary: "Two skills have the same id.",
		Why:     "According to section 4.4.5, an id must be unique. Clients that look up a skill find only one of them.",
		Bad:     example("skills", `[{"id": "find", "name": "Find", "description": "Finds a recipe.", "tags": ["cooking"]}, {"id": "find", "name": "Plan", "description": "Plans a meal.", "tags": ["cooking"]}]`),
		Good:    example("skills", `[{"id": "find", "name": "Find", "description": "Finds a recipe.", "tags": ["cooking"]}, {"id": "plan", "name": "Plan", "description": "Plans a meal.", "tags": ["cooking"]}]`),
	}, {
		ID:       ruleMediaType,
		Summary:  "An input or output mode is not a media type.",
		Why:      "Modes are media types, such as text/plain and application/json. Clients cannot send content in an unknown mode.",
		Bad:      example("defaultInputModes", `["text"]`),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:       ruleExtensionURI,
		Summary:  "An extension has no URI.",
		Why:      "According to section 4.6.1, clients identify an extension by its URI. No client can support a required extension without a URI.",
		Bad:      example("capabilities", `{"extensions": [{"description": "Categories", "required": true}]}`),
		Good:     example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/category/v1", "description": "Categories", "required": true}]}`),
		Severity: finding.Warning,
	}}
}

func interfaceRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleInterfaceURL,
		Summary: "The URL of an interface is not absolute.",
		Why:     "According to section 4.4.6, clients connect to the URL unchanged. For JSONRPC and HTTP+JSON, it must be an absolute HTTPS URL; for GRPC, it may be hostname:port.",
		Bad:     example("supportedInterfaces", exampleInterface("/a2a", "JSONRPC", "1.0")),
		Good:    example(),
	}, {
		ID:       rulePlainHTTP,
		Summary:  "A URL for messages, tokens or keys is not an HTTPS URL.",
		Why:      "An attacker on the network can read and change the traffic. Section 4.4.6 requires HTTPS in production, OAuth requires TLS, and section 8.4.3 requires secure channels for public keys. Loopback addresses are allowed.",
		Bad:      example("supportedInterfaces", exampleInterface("http://recipes.example/a2a", "JSONRPC", "1.0")),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:       ruleURL,
		Summary:  "A URL is not absolute.",
		Why:      "Readers of the card do not know the base of a relative URL.",
		Bad:      example("iconUrl", `"icon.png"`),
		Good:     example("iconUrl", `"https://recipes.example/icon.png"`),
		Severity: finding.Warning,
	}, {
		ID:       ruleBinding,
		Summary:  "A protocolBinding is neither JSONRPC, GRPC, HTTP+JSON nor a URI.",
		Why:      "Clients compare it with these exact names. According to section 5.8, the name of a custom binding is a URI.",
		Bad:      example("supportedInterfaces", exampleInterface("https://recipes.example/a2a", "jsonrpc", "1.0")),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:       ruleProtocolVersion,
		Summary:  "A protocolVersion does not have the form MAJOR.MINOR.",
		Why:      "According to section 3.6, cards should not have patch numbers, and patch numbers are ignored in the choice of a version.",
		Bad:      example("supportedInterfaces", exampleInterface("https://recipes.example/a2a", "JSONRPC", "1.0.1")),
		Good:     example(),
		Severity: finding.Warning,
	}, {
		ID:      ruleRepeatedInterface,
		Summary: "Two interfaces are the same.",
		Why:     "Clients choose the first suitable interface, so they never choose the second one. It probably needs another URL, binding, version or tenant.",
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
		Summary: "A security scheme or the flows of OAuth do not have exactly one of the members of a oneof.",
		Why:     "a2a.proto requires exactly one of them (oneof). With several, readers fail or choose any of them; without one, clients cannot authenticate.",
		Bad:     example("securitySchemes", `{"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}, "httpAuthSecurityScheme": {"scheme": "Bearer"}}}`),
		Good:    example("securitySchemes", apiKey),
	}, {
		ID:      ruleUndeclaredScheme,
		Summary: "A security requirement names a scheme that securitySchemes does not have.",
		Why:     "No client can satisfy the requirement, because the card does not define the scheme.",
		Bad:     example("securitySchemes", oauth, "securityRequirements", `[{"schemes": {"log-in": {"list": ["read"]}}}]`),
		Good:    example("securitySchemes", oauth, "securityRequirements", `[{"schemes": {"login": {"list": ["read"]}}}]`),
	}, {
		ID:      ruleAPIKeyLocation,
		Summary: "The location of an API key is not query, header or cookie.",
		Why:     "Section 4.5.2 defines only these three locations. Clients cannot send the key in any other.",
		Bad:     example("securitySchemes", `{"key": {"apiKeySecurityScheme": {"location": "Header", "name": "X-API-Key"}}}`),
		Good:    example("securitySchemes", apiKey),
	}, {
		ID:       ruleDeprecatedFlow,
		Summary:  "An OAuth flow is deprecated: implicit or password.",
		Why:      "These flows expose tokens and passwords (RFC 9700). Use authorizationCode with PKCE, or deviceCode.",
		Bad:      example("securitySchemes", `{"login": {"oauth2SecurityScheme": {"flows": {"password": {"tokenUrl": "https://login.example/token", "scopes": {"read": "Read recipes"}}}}}}`),
		Good:     example("securitySchemes", oauth),
		Severity: finding.Warning,
	}, {
		ID:       ruleSecret,
		Summary:  "The card contains a credential.",
		Why:      "A card is public (section 14.3: it should not include sensitive credentials). Revoke the credential, because everyone who fetched the card has it.",
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
		Summary: "A signature is malformed, names no key, or has the algorithm none.",
		Why: "According to section 8.4.2, protected is the base64url of a JSON object with alg and kid, and signature is the base64url of the signature's bytes. Anything else cannot be verified. " +
			"Use handoff a2a card verify to verify the signature itself.",
		Bad:  example("signatures", signed("eyJhbGciOiJub25lIiwidHlwIjoiSk9TRSIsImtpZCI6ImtleS0xIn0")), // {"alg":"none","typ":"JOSE","kid":"key-1"}
		Good: example("signatures", signed(good)),
	}, {
		ID:       ruleSignatureAlgorithm,
		Summary:  "The algorithm of a signature is neither ES256 nor EdDSA.",
		Why:      "The specification allows all algorithms of RFC 7518. handoff verifies only these two: they have short keys and are hard to misuse.",
		Bad:      example("signatures", signed("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrZXktMSJ9")), // {"alg":"RS256","typ":"JOSE","kid":"key-1"}
		Good:     example("signatures", signed(good)),
		Severity: finding.Warning,
	}, {
		ID:       ruleNumber,
		Summary:  "A number has another value in canonical form.",
		Why:      "RFC 8785 converts every number to a double, so the number could be changed without invalidating the signature. Such a card is neither signed nor verified. Write the number as a string.",
		Bad:      example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/quota/v1", "params": {"quota": 9007199254740993}}]}`),
		Good:     example("capabilities", `{"extensions": [{"uri": "https://recipes.example/ext/quota/v1", "params": {"quota": "9007199254740993"}}]}`),
		Severity: finding.Warning,
	}, {
		ID:      ruleSDKForm,
		Summary: "The signatures of the JavaScript SDK do not cover an empty member, and the SDK cannot verify signatures that do.",
		Why: "@a2a-js/sdk leaves all empty values out of the signed text. Section 8.4.1 leaves out only default values: required members stay, and so do objects, such as a scheme without scopes in a security requirement. " +
			"For a card without empty values, both sign the same text.",
		Bad:      example("securitySchemes", `{"cert": {"mtlsSecurityScheme": {}}}`),
		Good:     example("securitySchemes", `{"cert": {"mtlsSecurityScheme": {"description": "A certificate of the recipe club"}}}`),
		Severity: finding.Note,
	}}
}
