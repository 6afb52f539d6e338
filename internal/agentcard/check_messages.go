package agentcard

import (
	"mime"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

// checkMessage checks the requirements that a2a.proto states in its comments.
func (c *checker) checkMessage(v jsonstream.Value, m *messageType) {
	switch m.name {
	case "AgentCard":
		c.checkInterfaces(v.Get("supportedInterfaces"))
		c.checkSkills(v.Get("skills"))
		c.checkModes(v.Get("defaultInputModes"), v.Get("defaultOutputModes"))
		c.checkURLs(v, "documentationUrl", "iconUrl")
	case "AgentProvider":
		c.checkURLs(v, "url")
	case "AgentSkill":
		c.checkModes(v.Get("inputModes"), v.Get("outputModes"))
	case "AgentExtension":
		if uri := v.Get("uri"); uri.Text() == "" && (!uri.Exists() || uri.Kind() == jsonstream.String) {
			c.report(ruleExtensionURI, v, "the extension has no uri: add the uri from its specification")
		}
		c.checkHandoffExtension(v)
	case "SecurityRequirement":
		c.checkRequirement(v.Get("schemes"))
	case "APIKeySecurityScheme":
		if at := v.Get("location"); at.Text() != "" && at.Text() != "query" && at.Text() != "header" && at.Text() != "cookie" {
			c.report(ruleAPIKeyLocation, at, "expected query, header or cookie; found %s", finding.QuoteValue(at))
		}
	case "OAuth2SecurityScheme":
		c.checkSecureURLs(v, "oauth2MetadataUrl")
	case "OpenIdConnectSecurityScheme":
		c.checkSecureURLs(v, "openIdConnectUrl")
	case "AuthorizationCodeOAuthFlow", "ClientCredentialsOAuthFlow", "ImplicitOAuthFlow", "PasswordOAuthFlow", "DeviceCodeOAuthFlow":
		c.checkSecureURLs(v, "authorizationUrl", "deviceAuthorizationUrl", "tokenUrl", "refreshUrl")
	case "AgentCardSignature":
		c.checkSignature(v)
	}
}

// checkInterfaces checks supportedInterfaces.
func (c *checker) checkInterfaces(list jsonstream.Value) {
	seen := map[[4]string]bool{}
	for _, v := range list.Elements() {
		binding, at := v.Get("protocolBinding"), v.Get("url")
		key := [4]string{at.Text(), binding.Text(), v.Get("protocolVersion").Text(), v.Get("tenant").Text()}
		if key[0] != "" && seen[key] {
			c.report(ruleRepeatedInterface, v, "an earlier interface has the same URL, binding, version and tenant: remove one of them")
		}
		seen[key] = true
		c.checkBinding(binding)
		c.checkAddress(at, binding.Text())
		if version := v.Get("protocolVersion"); version.Text() != "" && !isMajorMinor(version.Text()) {
			c.report(ruleProtocolVersion, version, `expected MAJOR.MINOR, such as "1.0"; found %s`, finding.QuoteValue(version))
		}
	}
}

var majorMinor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$`)
})

func isMajorMinor(version string) bool { return len(version) < 20 && majorMinor().MatchString(version) }

// bindings are the bindings of the specification (section 4.4.6).
var bindings = []string{"JSONRPC", "GRPC", "HTTP+JSON"}

func (c *checker) checkBinding(v jsonstream.Value) {
	name := v.Text()
	if name == "" || isAbsolute(name) {
		return
	}
	fold := strings.NewReplacer("-", "", "_", "", "+", "", " ", "", "/", "")
	for _, known := range bindings {
		if name == known {
			return
		}
		if strings.EqualFold(fold.Replace(name), fold.Replace(known)) {
			c.report(ruleBinding, v, "expected %q; found %s", known, finding.QuoteValue(v))
			return
		}
	}
	c.report(ruleBinding, v, "expected one of %s, or the URI of a binding; found %s", strings.Join(bindings, ", "), finding.QuoteValue(v))
}

// checkAddress checks the url of an interface.
func (c *checker) checkAddress(v jsonstream.Value, binding string) {
	address := v.Text()
	if address == "" {
		return
	}
	if host, port, err := net.SplitHostPort(address); binding == "GRPC" && err == nil && host != "" && port != "" && !strings.Contains(address, "/") {
		return
	}
	if !isAbsolute(address) {
		expected := "an absolute HTTPS URL"
		if binding == "GRPC" {
			expected = "hostname:port"
		}
		c.report(ruleInterfaceURL, v, "expected %s; found %s", expected, finding.QuoteValue(v))
		return
	}
	c.checkSecure(v)
}

// isAbsolute reports whether a text is an absolute URL or URI.
func isAbsolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs() && (u.Host != "" || u.Opaque != "")
}

// checkSecure reports a URL whose traffic anyone on the network path can read.
func (c *checker) checkSecure(v jsonstream.Value) {
	u, err := url.Parse(v.Text())
	if err != nil || u.Scheme != "http" && u.Scheme != "ws" {
		return
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return
	}
	c.report(rulePlainHTTP, v, "expected %ss:; found %s", u.Scheme, finding.QuoteValue(v))
}

func (c *checker) checkURLs(v jsonstream.Value, names ...string) {
	for _, name := range names {
		if at := v.Get(name); at.Text() != "" && !isAbsolute(at.Text()) {
			c.report(ruleURL, at, "expected an absolute URL; found %s", finding.QuoteValue(at))
		}
	}
}

func (c *checker) checkSecureURLs(v jsonstream.Value, names ...string) {
	c.checkURLs(v, names...)
	for _, name := range names {
		if at := v.Get(name); isAbsolute(at.Text()) {
			c.checkSecure(at)
		}
	}
}

// checkSkills compares the skills of a card.
func (c *checker) checkSkills(list jsonstream.Value) {
	seen := map[string]bool{}
	for _, v := range list.Elements() {
		id := v.Get("id")
		if id.Text() == "" {
			continue
		}
		if seen[id.Text()] {
			c.report(ruleRepeatedSkill, id, "an earlier skill has the same id %s: give each skill its own", finding.Quote(id.Text()))
		}
		seen[id.Text()] = true
	}
}

func (c *checker) checkModes(lists ...jsonstream.Value) {
	for _, list := range lists {
		for _, v := range list.Elements() {
			if v.Kind() != jsonstream.String {
				continue
			}
			if kind, _, err := mime.ParseMediaType(v.Text()); err != nil || !strings.Contains(kind, "/") {
				c.report(ruleMediaType, v, "expected a media type, such as text/plain; found %s", finding.QuoteValue(v))
			}
		}
	}
}

// checkRequirement checks that the schemes of a requirement are declared.
func (c *checker) checkRequirement(schemes jsonstream.Value) {
	for name, v := range schemes.Members() {
		if !c.schemes[name] {
			c.reportName(ruleUndeclaredScheme, v, "securitySchemes has no scheme %s: declare it, or correct the name", finding.Quote(name))
		}
	}
}

// checkSignature checks that a signature could be verified, and its information about the key.
func (c *checker) checkSignature(v jsonstream.Value) {
	for _, name := range []string{"protected", "signature"} {
		if v.Get(name).Text() == "" {
			return // reported by another rule
		}
	}
	s := readSignature(v)
	switch {
	case s.Reason == sign.UnsupportedAlgorithm && !strings.EqualFold(s.Algorithm, "none"):
		c.report(ruleSignatureAlgorithm, v.Get("protected"), "%s", s.Problem)
	case s.Reason != "":
		c.report(ruleSignature, v, "%s", s.Problem)
	}
	if u, err := url.Parse(s.KeySet); s.KeySet != "" && (err != nil || u.Scheme != "https") {
		c.report(rulePlainHTTP, v, "jku: public keys must be fetched over https:; found %s", finding.Quote(s.KeySet))
	}
}
