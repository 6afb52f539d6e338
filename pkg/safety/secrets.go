package safety

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A secret is one kind of credential. Group 1 of its expression is the value.
type secret struct {
	Rule
	probe
}

type secretSet struct {
	kinds   []secret
	matcher *matcher
}

var secretRules = sync.OnceValue(func() secretSet {
	set := secretSet{kinds: secrets()}
	var probes []probe
	for _, k := range set.kinds {
		probes = append(probes, k.probe)
	}
	set.matcher = newMatcher(probes)
	return set
})

// SecretRules lists the kinds of credentials that [Secrets] knows. The caller owns the
// slice. The credentials in it are made up.
func SecretRules() []Rule {
	var list []Rule
	for _, k := range secretRules().kinds {
		list = append(list, k.Rule)
	}
	return list
}

// Secrets finds every credential in text, sorted by offset. A message names the kind
// and the length, never the value. Placeholders, documented examples and references to
// variables are not credentials. It is safe for concurrent use.
func Secrets(text string) []Finding {
	if !announced(text, strings.IndexByte) {
		return nil
	}
	return findSecrets(text)
}

// findSecrets is Secrets without a first look at whether there may be any.
func findSecrets(text string) []Finding {
	set := secretRules()
	var found []Finding
	set.matcher.scan(text, func(i int, loc []int) {
		start, end := loc[2], loc[3]
		if !placeholder(text[start:end]) {
			found = append(found, Finding{
				Rule:     set.kinds[i].ID,
				Category: Credential,
				Score:    set.kinds[i].Weight,
				Message:  fmt.Sprintf("%s of %d bytes", set.kinds[i].Summary, end-start),
				Offset:   start,
				Length:   end - start,
			})
		}
	})
	slices.SortStableFunc(found, byOffset)
	return found
}

// placeholder reports whether a value only stands where a credential would. It covers
// AWS's documented keys (AKIAIOSFODNN7EXAMPLE), which open nothing and are in every
// tutorial: flagging them teaches people to switch the rule off.
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

// weakPassword reports whether a connection string's password is one that documentation
// uses, a reference to a variable, or no secret because it repeats the user.
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

// liveToken looks into a JSON Web Token: one that decodes to no header is no token, and
// the one everybody copies, for John Doe with subject 1234567890, is no secret.
func liveToken(text string, loc []int) bool {
	parts := strings.Split(text[loc[2]:loc[3]], ".")
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || !strings.Contains(string(header), `"alg"`) {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	return err == nil && !strings.Contains(string(claims), "1234567890")
}

// static is an expression that is compiled on its first use.
func static(expr string) func() *regexp.Regexp {
	return lazy(func() string { return expr })
}

func credential(id, summary, why, bad, good string) Rule {
	return Rule{ID: id, Category: Credential, Summary: summary, Why: why, Weight: 1, Bad: bad, Good: good}
}

func secrets() []secret {
	// Made-up values are put together here so that scanners do not report this file.
	const tail = "Zq7Wm2Lk9" + "Xc4Vb8Nh1" + "Rt6Yp3Sd5" + "Gf0Jw"
	return []secret{
		{
			Rule: credential("aws-access-key", "an AWS access key id", "Together with its secret it acts for an AWS account.",
				"key AKIA"+"Q3EGV7WZ5NB2KHTM", "key AKIAIOSFODNN7EXAMPLE"),
			probe: probe{literals: []string{"akia", "asia"}, expr: static(`\b((?:AKIA|ASIA)[A-Z2-7]{16})\b`)},
		},
		{
			Rule: credential("aws-secret-key", "an AWS secret access key", "Together with its id it acts for an AWS account.",
				"aws_secret_access_key = "+tail+"k/8uQe2v", "aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}"),
			probe: probe{literals: []string{"secret_access_key", "secretaccesskey", "secret access key"},
				expr: static(`(?i:secret[_ ]?access[_ ]?key)["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`)},
		},
		{
			Rule: credential("github-token", "a GitHub token", "It reads and writes repositories as its owner.",
				"ghp_"+tail+"Ae2k", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
			probe: probe{literals: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
				expr: static(`\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`)},
		},
		{
			Rule: credential("gitlab-token", "a GitLab token", "It acts on a GitLab server as its owner.",
				"glpat-"+tail[:20], "glpat-xxxxxxxxxxxxxxxxxxxx"),
			probe: probe{literals: []string{"glpat-"}, expr: static(`\b(glpat-[A-Za-z0-9_-]{20,64})`)},
		},
		{
			Rule: credential("openai-key", "an OpenAI API key", "It spends its owner's money and reads their data.",
				"sk-proj-"+tail[:20]+"T3Blbk"+"FJ"+tail[5:25], "sk-proj-..."),
			// OpenAI writes its name, in base64, into the middle of every key.
			probe: probe{literals: []string{"t3blbkfj", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"}, reach: 250, expr: static(`\b(sk-(?:[a-z]+-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100})`)},
		},
		{
			Rule: credential("anthropic-key", "an Anthropic API key", "It spends its owner's money and reads their data.",
				"sk-ant-"+"api03-"+tail+tail+tail[:20], "sk-ant-api03-..."),
			probe: probe{literals: []string{"sk-ant-"}, reach: 250, expr: static(`\b(sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,120})`)},
		},
		{
			Rule: credential("slack-token", "a Slack token", "It reads and writes a workspace.",
				"xoxb-"+"293847561029-584736291047-"+tail[:24], "xoxb-your-token-goes-here"),
			probe: probe{literals: []string{"xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "hooks.slack.com/services/"}, reach: 200,
				expr: static(`\b(xox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{16,200}|xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[a-z0-9]{32,128}|hooks\.slack\.com/services/T[A-Z0-9]{7,}/B[A-Z0-9]{7,}/[A-Za-z0-9]{20,32})`)},
		},
		{
			Rule: credential("google-api-key", "a Google API key", "It uses Google services on its owner's account.",
				"AIza"+"Sy"+tail+"K", "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"),
			probe: probe{literals: []string{"aiza"}, expr: static(`\b(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)`)},
		},
		{
			Rule: credential("stripe-key", "a Stripe live key", "It moves real money.",
				"sk_live_"+tail[:24], "sk_test_"+tail[:24]),
			probe: probe{literals: []string{"sk_live_", "rk_live_"}, expr: static(`\b([sr]k_live_[A-Za-z0-9]{20,128})\b`)},
		},
		{
			Rule: credential("private-key", "a private key", "It signs and decrypts as its owner.",
				"-----BEGIN "+"PRIVATE KEY-----\n"+tail+tail+tail+"\n-----END", "-----BEGIN "+"PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"),
			// The text may be JSON inside JSON, where a line break is a backslash and an n.
			probe: probe{literals: []string{"-----begin"}, reach: 16 << 10,
				expr:   static(`(-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----(?:[A-Za-z-]+: [^\r\n\\]{0,80}[\r\n\\]|[\sA-Za-z0-9+/=\\])+)`),
				accept: func(_ string, loc []int) bool { return loc[3]-loc[2] >= 100 }},
		},
		{
			Rule: credential("json-web-token", "a JSON Web Token", "Until it expires it is as good as a password.",
				"eyJhbGciOiJIUzI1NiJ9."+"eyJzdWIiOiJvcHMtdGVhbSJ9."+tail, "eyJhbGciOiJIUzI1NiJ9.<payload>.<signature>"),
			// The header starts, before base64, with a quoted name: alg, typ, kid, jku, cty, enc, x5t, nonce, zip.
			probe: probe{literals: []string{"eyjh", "eyj0", "eyjr", "eyjq", "eyjj", "eyjl", "eyj4", "eyju", "eyj6"}, reach: 8 << 10,
				expr: static(`\b(eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{16,})`), accept: liveToken},
		},
		{
			Rule: credential("connection-string", "a password in a connection string", "It opens the database or service that it names.",
				"postgres://app:"+tail[:12]+"@db.example.org/main", "postgres://user:password@localhost/main"),
			probe: probe{literals: []string{"s://", "l://", "b://", "v://", "p://", "r://", "n://"}, reach: 200,
				expr: static(`://[^\s:/?#@"'<>]{0,64}:([^\s/@"'<>]{1,128})@[A-Za-z0-9\[_$-]`),
				accept: func(text string, loc []int) bool {
					user := strings.TrimPrefix(text[loc[0]:loc[2]-1], "://")
					return !weakPassword(user, text[loc[2]:loc[3]])
				}},
		},
	}
}
