// Package guard keeps an HTTP server to those who may ask it.
//
// A [Site] tells pages of other sites, which can make a browser ask for anything, from those who may ask,
// by the name that a request is for and by the origin that it comes from. A [Guard] is a site with a token.
// A [Server] bounds connections, so that nobody who sends nothing, or slowly, keeps others out.
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

// MinToken is how many characters a token has at least that people choose for a [Guard]: 128 bits in base64.
const MinToken = 22

// NewToken returns a token that nobody can guess, of 130 bits.
func NewToken() string { return rand.Text() }

// Options describe a server.
type Options struct {
	// Token is what everybody needs who asks for anything: at least [MinToken] characters of those that
	// a bearer token has (RFC 6750, section 2.1).
	Token string
	// Listen is the name or address that the server listens at, without its port. If it is one of this
	// machine alone, so are the addresses that the server may be asked under.
	Listen string
	// Names are others under which the server may be asked.
	Names []string
	// Secure says that it is served by TLS.
	Secure bool
}

// A Site is the names of a server. It is safe for concurrent use.
type Site struct {
	scheme string
	names  map[string]bool
	local  bool
}

// NewSite returns the site of a server that listens at a name or address, with other names that it has.
// Secure says that it is served by TLS.
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

// A Guard says who may ask. It is safe for concurrent use.
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

// Home returns a name that the server alone has, below localhost, where browsers look for it on their
// own machine. It is "" for a server with TLS, whose certificate has other names, and for one that this
// machine reaches by another address.
//
// Browsers send a cookie to every port of the host that it is from. The cookies of 127.0.0.1 and localhost
// go to all servers of the machine, those of this name to this server alone.
func (g *Guard) Home() string { return g.home }

// IsOwnHost reports whether the cookies of the host of a request are for this server alone, as far as
// it can have such a host.
func (g *Guard) IsOwnHost(r *http.Request) bool {
	host := hostName(r.Host)
	return g.home == "" || host == g.home || !IsLocal(host) && !isLocalhost(host)
}

// isLocalhost reports whether a server at a host is reached by the addresses of localhost.
func isLocalhost(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsUnspecified() || ip.Equal(net.IPv4(127, 0, 0, 1)) || ip.Equal(net.IPv6loopback))
}

// IsLocal reports whether only programs of this machine can reach a host.
func IsLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// IsHost reports whether a request is for this server: for an address that it can have, localhost, or
// one of its names. A page whose own name was made to point here (DNS rebinding) asks under that name.
func (s *Site) IsHost(r *http.Request) bool {
	host := hostName(r.Host)
	if s.names[host] {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (!s.local || ip.IsLoopback())
}

// hostName returns the host of a Host header, in small letters, without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// IsSecure reports whether the server is served by TLS.
func (s *Site) IsSecure() bool { return s.scheme == "https" }

// An Origin is where a request comes from, as far as a browser says.
type Origin int

// The origins of requests.
const (
	Unsaid  Origin = iota // no browser sent it, or one that does not say: its page hides where it is from
	Own                   // a page of this server
	Foreign               // a page of another one
)

// Origin returns where a request comes from. Browsers say it in Sec-Fetch-Site to addresses that are
// secure, and in Origin otherwise.
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

// IsFromBrowser reports whether a page in a browser, or a person who uses one, made a request. Other
// programs send Sec-Fetch-Mode too, such as Node's fetch, but not the headers beside it.
func IsFromBrowser(r *http.Request) bool {
	for _, name := range []string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Dest", "Sec-Fetch-User"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

// HasToken reports whether a request has the bearer token of the server in its Authorization header. No
// page can make a browser send it.
func (g *Guard) HasToken(r *http.Request) bool { return HasToken(r, g.token) }

// IsToken reports whether a text is the token of the server.
func (g *Guard) IsToken(text string) bool { return Same(text, g.token) }

// HasToken reports whether a request has a bearer token (RFC 6750, section 2.1).
func HasToken(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && Same(strings.TrimSpace(given), token)
}

// Same compares two texts in a time that says nothing of where they differ, or how long the secret
// one is.
func Same(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return hmac.Equal(a[:], b[:])
}

// Secret returns a secret for a purpose, 64 hexadecimal digits. It is made of the token, so that it
// holds as long as that does, and tells neither the token nor the secret for another purpose.
func (g *Guard) Secret(purpose string) string {
	mac := hmac.New(sha256.New, []byte(g.token))
	mac.Write([]byte("handoff guard " + purpose))
	return hex.EncodeToString(mac.Sum(nil))
}
