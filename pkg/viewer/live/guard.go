package live

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A guard says who may ask for what. The secrets of browsers are made of the token, so that they
// hold as long as it does, and none of them tells it or another one.
type guard struct {
	token  string
	cookie string // its name: browsers send those of one port of a host to all others
	seal   string // what the cookie has
	form   string // what forms have that this server made
}

func newGuard(token string) guard {
	of := func(what string) string {
		mac := hmac.New(sha256.New, []byte(token))
		mac.Write([]byte("handoff live " + what))
		return hex.EncodeToString(mac.Sum(nil))
	}
	return guard{token: token, cookie: "handoff-" + of("name")[:12], seal: of("cookie"), form: of("form")}
}

// same compares in a time that says nothing of where texts differ, or how long the secret one is.
func same(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return hmac.Equal(a[:], b[:])
}

// How somebody has shown the token.
type shown int

const (
	unknown   shown = iota
	byCookie        // a browser
	byToken         // a script: no page of others can make a browser send it
	wrongOnes       // it is not the token
)

func (g *guard) known(r *http.Request) shown {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if strings.EqualFold(scheme, "Bearer") && same(strings.TrimSpace(token), g.token) {
			return byToken
		}
		return wrongOnes
	}
	for _, c := range r.CookiesNamed(g.cookie) {
		if same(c.Value, g.seal) {
			return byCookie
		}
	}
	return unknown
}

// secure sets the headers of all answers.
func secure(header http.Header) {
	for name, value := range map[string]string{
		"Cache-Control":                "no-store",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Content-Security-Policy":      noContent,
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		header.Set(name, value)
	}
}

const (
	framed    = "; frame-ancestors 'none'"
	noContent = "default-src 'none'; base-uri 'none'; form-action 'none'" + framed
)

// errAnswered says that a request was answered.
var errAnswered = errors.New("answered")

// admit returns why a request is refused. The first one of a browser, which has the token, it
// answers.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) error {
	if !h.options.Host(hostName(r.Host)) {
		return &problem{http.StatusMisdirectedRequest, "This is not the name of this server", "It was asked for under a name that it does not have. Use the address that it printed when it was started."}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		h.refuseMethod(w, r, "GET, HEAD, POST")
		return errAnswered
	}
	if r.Method != http.MethodPost && r.URL.Path == "/" && r.URL.Query().Has("token") {
		if !same(r.URL.Query().Get("token"), h.guard.token) {
			return &problem{http.StatusForbidden, "This is not the token", "The token in the address is another one than that of this server, which may have been started again since. Use the address that it printed last."}
		}
		http.SetCookie(w, &http.Cookie{Name: h.guard.cookie, Value: h.guard.seal, Path: "/", HttpOnly: true, Secure: h.options.Secure, SameSite: http.SameSiteStrictMode})
		h.write(w, r, &answer{to: "/"})
		return errAnswered
	}
	known := h.guard.known(r)
	switch {
	case known == unknown || known == wrongOnes:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return refused(known)
	case r.Method != http.MethodPost:
		return nil
	case !h.fromHere(r):
		return &problem{http.StatusForbidden, "This form is not from here", "It was sent by a page of another server, and nothing was done."}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return &problem{http.StatusRequestEntityTooLarge, "The form is too long", "Nothing was done. Shorten the reason, and send it again."}
		}
		return &problem{http.StatusBadRequest, "The form cannot be read", "Nothing was done."}
	}
	if known == byCookie && !same(r.PostForm.Get("form"), h.guard.form) {
		return &problem{http.StatusForbidden, "This form is not from here", "It is none that this server has made, or it was made before the server was started again. Nothing was done: go back, read the page again, and decide then."}
	}
	return nil
}

// refused is the answer to who has not shown the token.
func refused(known shown) error {
	if known == wrongOnes {
		return &problem{http.StatusUnauthorized, "This is not the token", "The Authorization header has another token than that of this server: it is \"Bearer\" and the token in the address that the server printed, or in the file that it was started with."}
	}
	return &problem{http.StatusUnauthorized, "The token is needed", "Open the address with the token that was printed when the server was started. A browser that has done that since needs it no more: if you came by a link from elsewhere, try again from here."}
}

// fromHere reports whether a form was sent by a page of this server, as far as the browser says:
// pages that are no referrer say only in Sec-Fetch-Site who they are, which browsers send to addresses
// that are secure. What it does not say, the secret in the form decides.
func (h *Handler) fromHere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return true
	}
	scheme := "http"
	if h.options.Secure {
		scheme = "https"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

// hostName returns the host of a Host header, in small letters, without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// NewToken returns a token that nobody can guess, of 160 bits.
func NewToken() string {
	bits := make([]byte, 20)
	rand.Read(bits) // never fails
	return hex.EncodeToString(bits)
}
