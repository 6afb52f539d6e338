package live

import (
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/eaapl/handoff/relay/guard"
)

// secrets are the secrets of browsers, derived from the token.
type secrets struct {
	cookie string // its name
	seal   string // value of the cookie
	form   string // hidden value in forms of this server
}

func newSecrets(g *guard.Guard) secrets {
	return secrets{cookie: "handoff-" + g.Secret("name")[:12], seal: g.Secret("cookie"), form: g.Secret("form")}
}

// A credential is a client's way of presenting the token.
type credential int

const (
	unknown   credential = iota
	byCookie             // a browser
	byToken              // a script: no other site's page can make a browser send it
	wrongOnes            // a wrong token
)

func (h *Handler) known(r *http.Request) credential {
	if h.options.Guard.HasToken(r) {
		return byToken
	}
	if r.Header.Get("Authorization") != "" {
		return wrongOnes
	}
	for _, c := range r.CookiesNamed(h.secrets.cookie) {
		if h.options.Guard.IsOwnHost(r) && guard.Same(c.Value, h.secrets.seal) {
			return byCookie
		}
	}
	return unknown
}

// secure sets the security headers of all responses.
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

// errAnswered reports that a response was already written.
var errAnswered = errors.New("answered")

// admit returns the reason why a request is refused. It responds itself to a browser's first request, with
// the token.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) error {
	if !h.options.Guard.IsHost(r) {
		return &problem{http.StatusMisdirectedRequest, "This is not the name of this server", "The request used a name that this server does not have. Use the address that the server printed when it started."}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		h.refuseMethod(w, r, "GET, HEAD, POST")
		return errAnswered
	}
	if r.Method != http.MethodPost && r.URL.Path == "/" && r.URL.Query().Has("token") {
		if !h.options.Guard.IsToken(r.URL.Query().Get("token")) {
			return &problem{http.StatusForbidden, "This is not the token", "The token in the address is not the token of this server, which may have been started again since. Use the address that it printed last."}
		}
		if !h.options.Guard.IsOwnHost(r) {
			h.write(w, r, &answer{to: h.home(r) + "/?" + url.Values{"token": {r.URL.Query().Get("token")}}.Encode()})
			return errAnswered
		}
		http.SetCookie(w, &http.Cookie{Name: h.secrets.cookie, Value: h.secrets.seal, Path: "/", HttpOnly: true, Secure: h.options.Guard.IsSecure(), SameSite: http.SameSiteStrictMode})
		h.write(w, r, &answer{to: "/"})
		return errAnswered
	}
	known := h.known(r)
	switch {
	case known == unknown || known == wrongOnes:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return refused(known)
	case r.Method != http.MethodPost:
		return nil
	case h.options.Guard.Origin(r) == guard.Foreign: // if the browser does not send an origin, the secret in the form decides
		return &problem{http.StatusForbidden, "This form is not from this server", "It was sent by a page of another server. Nothing was done."}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return &problem{http.StatusRequestEntityTooLarge, "The form is too long", "Nothing was done. Shorten the reason, and send it again."}
		}
		return &problem{http.StatusBadRequest, "The form cannot be read", "Nothing was done."}
	}
	if known == byCookie && !guard.Same(r.PostForm.Get("form"), h.secrets.form) {
		return &problem{http.StatusForbidden, "This form is not from this server", "This server did not create it, or created it before a restart. Nothing was done: go back, load the page again, and decide then."}
	}
	return nil
}

// home returns the server's URL for browsers, with a host name that no other server has.
func (h *Handler) home(r *http.Request) string {
	host := h.options.Guard.Home()
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		host = net.JoinHostPort(host, port)
	}
	return "http://" + host
}

// refused returns the error for a client that has not presented the token.
func refused(known credential) error {
	if known == wrongOnes {
		return &problem{http.StatusUnauthorized, "This is not the token", "The Authorization header does not have the token of this server. Send \"Bearer\" and the token in the address that the server printed, or in the file that it was started with."}
	}
	return &problem{http.StatusUnauthorized, "The token is missing", "Open the address with the token that the server printed when it started. A browser that has already opened it does not need it again: if you followed a link from another site, try again from here."}
}
