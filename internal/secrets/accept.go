package secrets

import (
	"encoding/base64"
	"strings"
)

// placeholder reports whether a value only stands in for a credential. It covers AWS's documented keys
// (AKIAIOSFODNN7EXAMPLE), which open nothing and are in every tutorial: flagging them teaches people to turn
// the rule off.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	for _, s := range []string{"example", "placeholder", "redacted", "changeme", "change_me", "your_", "your-", "yourkey", "xxxx", "****", "....", "…", "${", "{{", "<", "%s", "dummy", "0123456789", "1234567890", "abcdefgh"} {
		if strings.Contains(lower, s) {
			return true
		}
	}
	var seen [256]bool
	kinds := 0
	for i := 0; i < len(value); i++ {
		if !seen[value[i]] {
			seen[value[i]] = true
			kinds++
		}
	}
	return kinds < min(8, len(value)/2)
}

// weakPassword reports whether the password of a connection string is a documented example, a reference to a
// variable, or a copy of the user name.
func weakPassword(user, password string) bool {
	lower := strings.ToLower(password)
	if lower == strings.ToLower(user) || strings.ContainsAny(password[:1], "$%{[(<*:") {
		return true
	}
	switch strings.Trim(lower, "0123456789!_-") {
	case "", "password", "passwd", "passw", "pass", "pwd", "pw", "pswd", "p", "secret", "mysecret", "mypassword", "mysecretpassword",
		"user", "username", "root", "admin", "guest", "test", "testing", "token", "key", "db_password", "dbpass", "dbpassword",
		"postgres", "mysql", "redis", "mongo", "rabbitmq", "default", "foo", "bar", "foobar", "abc", "hunter", "qwerty", "letmein":
		return true
	}
	return len(password) < 4
}

// liveToken checks a JSON Web Token: a text whose header does not decode is not a token, and the widely
// copied one for John Doe with subject 1234567890 is not a secret.
func liveToken(text string, loc []int) bool {
	parts := strings.Split(text[loc[2]:loc[3]], ".")
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || !strings.Contains(string(header), `"alg"`) {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	return err == nil && !strings.Contains(string(claims), "1234567890")
}
