// Package guard restricts an HTTP server to authorized clients.
//
// A [Site] distinguishes pages of other sites, which can make a browser send any request, from authorized
// clients, by the host and the origin of a request. A [Guard] is a site with a token. A [Server] bounds
// connections, so that silent or slow clients do not lock out others.
package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// MinToken is the minimum length of a user's token for a [Guard]: 128 bits in base64.
const MinToken = 22

// NewToken returns a random token of 130 bits.
func NewToken() string { return rand.Text() }

// Options describe a server.
type Options struct {
	// Token is required in all requests: at least [MinToken] characters that are allowed in a bearer token
	// (RFC 6750, section 2.1).
	Token string
	// Listen is the name or address at which the server listens, without its port. If it is local, only local
	// host names are accepted.
	Listen string
	// Names are additional host names of the server.
	Names []string
	// Secure reports whether the server uses TLS.
	Secure bool
}

// A Site is the set of host names of a server. It is safe for concurrent use.
type Site struct {
	scheme string
	names  map[string]bool
	local  bool
}

// NewSite returns the site of a server that listens at a name or address and has additional names. secure
// reports whether it uses TLS.
func NewSite(listen string, names []string, secure bool) *Site {
	s := &Site{scheme: "http", names: map[string]bool{"localhost": true, hostName(listen): true}, local: IsLocal(listen)}
	if secure {
		s.scheme = "https"
	}
	for _, name := range names {
		s.names[hostName(name)] = true
	}
	delete(s.names, "")
	return s
}

// A Guard authorizes requests. It is safe for concurrent use.
type Guard struct {
	*Site
	token string
	home  string
}

// New returns a guard. It panics if the token is too short.
func New(o Options) *Guard {
	if len(o.Token) < MinToken {
		panic("guard: a token that can be guessed")
	}
	g := &Guard{Site: NewSite(o.Listen, o.Names, o.Secure), token: o.Token}
	if !o.Secure && isLocalhost(o.Listen) {
		g.home = g.Secret("home")[:32] + ".localhost"
		g.names[g.home] = true
	}
	return g
}

// Home returns a host name below localhost that only this server has; browsers resolve it to their own
// machine. It is "" for a server with TLS, whose certificate has other names, and for one that this machine
// reaches at another address.
//
// Browsers send a cookie to all ports of its host. So the cookies of 127.0.0.1 and localhost go to all
// servers of the machine, but the cookies of this name only to this server.
func (g *Guard) Home() string { return g.home }

// IsOwnHost reports whether cookies of a request's host are sent only to this server, as far as such a host
// exists.
func (g *Guard) IsOwnHost(r *http.Request) bool {
	host := hostName(r.Host)
	return g.home == "" || host == g.home || !IsLocal(host) && !isLocalhost(host)
}

// isLocalhost reports whether a server at a host is reachable at the addresses of localhost.
func isLocalhost(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsUnspecified() || ip.Equal(net.IPv4(127, 0, 0, 1)) || ip.Equal(net.IPv6loopback))
}

// IsLocal reports whether a host is reachable only from this machine.
func IsLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// IsHost reports whether the Host of a request is this server's: an address that it can have, localhost, or
// one of its names. In a DNS rebinding attack the Host is the attacker's name.
func (s *Site) IsHost(r *http.Request) bool {
	host := hostName(r.Host)
	if s.names[host] {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (!s.local || ip.IsLoopback())
}

// hostName returns the host of a Host header in lower case, without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// IsSecure reports whether the server uses TLS.
func (s *Site) IsSecure() bool { return s.scheme == "https" }

// An Origin is the origin of a request, as reported by a browser.
type Origin int

// The origins of requests.
const (
	Unsaid  Origin = iota // not from a browser, or from one that omits it: its page hides its origin
	Own                   // a page of this server
	Foreign               // a page of another server
)

// Origin returns the origin of a request. Browsers send it in Sec-Fetch-Site to secure addresses, and in
// Origin otherwise.
func (s *Site) Origin(r *http.Request) Origin {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		if site == "same-origin" {
			return Own
		}
		return Foreign
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 || len(origins) == 1 && origins[0] == "null" {
		return Unsaid
	}
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme != s.scheme || !strings.EqualFold(u.Host, r.Host) {
			return Foreign
		}
	}
	return Own
}

// IsFromBrowser reports whether a browser made a request, for a page or a person. Other programs such as
// Node's fetch send Sec-Fetch-Mode too, but not the related headers.
func IsFromBrowser(r *http.Request) bool {
	for _, name := range []string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Dest", "Sec-Fetch-User"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

// HasToken reports whether a request has the server's bearer token in its Authorization header, which no page
// can make a browser send.
func (g *Guard) HasToken(r *http.Request) bool { return HasToken(r, g.token) }

// IsToken reports whether a text is the token of the server.
func (g *Guard) IsToken(text string) bool { return Same(text, g.token) }

// HasToken reports whether a request has a bearer token (RFC 6750, section 2.1).
func HasToken(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && Same(strings.TrimSpace(given), token)
}

// Same compares two texts in a time that depends neither on the position of their difference nor on the
// length of the secret.
func Same(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return hmac.Equal(a[:], b[:])
}

// Secret returns a secret for a purpose, 64 hexadecimal digits. It is derived from the token, so that it is
// valid as long as the token, and reveals neither the token nor the secrets for other purposes.
func (g *Guard) Secret(purpose string) string {
	mac := hmac.New(sha256.New, []byte(g.token))
	mac.Write([]byte("handoff guard " + purpose))
	return hex.EncodeToString(mac.Sum(nil))
}
