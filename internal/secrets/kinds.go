package secrets

import (
	"strings"
	"sync"
)

// patterns are the patterns of all kinds.
var patterns = sync.OnceValue(func() []pattern {
	// Made-up values are assembled here so that scanners do not report this file.
	const tail = "Zq7Wm2Lk9" + "Xc4Vb8Nh1" + "Rt6Yp3Sd5" + "Gf0Jw"
	return []pattern{
		{
			Kind: Kind{
				ID: "aws-access-key", Summary: "an AWS access key id",
				Why:     "With its secret, it gives access to an AWS account.",
				Example: "key AKIA" + "Q3EGV7WZ5NB2KHTM",
				Similar: "key AKIAIOSFODNN7EXAMPLE",
			},
			literals: []string{"akia", "asia"},
			expr:     static(`\b((?:AKIA|ASIA)[A-Z2-7]{16})\b`),
		},
		{
			Kind: Kind{
				ID: "aws-secret-key", Summary: "an AWS secret access key",
				Why:     "With its id, it gives access to an AWS account.",
				Example: "aws_secret_access_key = " + tail + "k/8uQe2v",
				Similar: "aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}",
			},
			literals: []string{"secret_access_key", "secretaccesskey", "secret access key"},
			expr:     static(`(?i:secret[_ ]?access[_ ]?key)["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`),
		},
		{
			Kind: Kind{
				ID: "github-token", Summary: "a GitHub token",
				Why:     "It gives access to its owner's repositories.",
				Example: "ghp_" + tail + "Ae2k",
				Similar: "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
			},
			literals: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, reach: 270,
			expr: static(`\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`),
		},
		{
			Kind: Kind{
				ID: "gitlab-token", Summary: "a GitLab token",
				Why:     "It gives access to a GitLab server as its owner.",
				Example: "glpat-" + tail[:20],
				Similar: "glpat-xxxxxxxxxxxxxxxxxxxx",
			},
			literals: []string{"glpat-"},
			expr:     static(`\b(glpat-[A-Za-z0-9_-]{20,64})`),
		},
		{
			Kind: Kind{
				ID: "openai-key", Summary: "an OpenAI API key",
				Why:     "It gives access to its owner's data, and spends their money.",
				Example: "sk-proj-" + tail[:20] + "T3Blbk" + "FJ" + tail[5:25],
				Similar: "sk-proj-...",
			},
			// OpenAI writes its name, in base64, into the middle of every key.
			literals: []string{"t3blbkfj", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"}, reach: 250,
			expr: static(`\b(sk-(?:[a-z]+-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100})`),
		},
		{
			Kind: Kind{
				ID: "anthropic-key", Summary: "an Anthropic API key",
				Why:     "It gives access to its owner's data, and spends their money.",
				Example: "sk-ant-" + "api03-" + tail + tail + tail[:20],
				Similar: "sk-ant-api03-...",
			},
			literals: []string{"sk-ant-"}, reach: 250,
			expr: static(`\b(sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,120})`),
		},
		{
			Kind: Kind{
				ID: "slack-token", Summary: "a Slack token",
				Why:     "It gives access to a workspace.",
				Example: "xoxb-" + "293847561029-584736291047-" + tail[:24],
				Similar: "xoxb-your-token-goes-here",
			},
			literals: []string{"xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "hooks.slack.com/services/"}, reach: 200,
			expr: static(`\b(xox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{16,200}|xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[a-z0-9]{32,128}|hooks\.slack\.com/services/T[A-Z0-9]{7,}/B[A-Z0-9]{7,}/[A-Za-z0-9]{20,32})`),
		},
		{
			Kind: Kind{
				ID: "google-api-key", Summary: "a Google API key",
				Why:     "It gives access to Google services on its owner's account.",
				Example: "AIza" + "Sy" + tail + "K",
				Similar: "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
			},
			literals: []string{"aiza"},
			expr:     static(`\b(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)`),
		},
		{
			Kind: Kind{
				ID: "stripe-key", Summary: "a Stripe live key",
				Why:     "It can move money.",
				Example: "sk_live_" + tail[:24],
				Similar: "sk_test_" + tail[:24],
			},
			literals: []string{"sk_live_", "rk_live_"},
			expr:     static(`\b([sr]k_live_[A-Za-z0-9]{20,128})\b`),
		},
		{
			Kind: Kind{
				ID: "private-key", Summary: "a private key",
				Why:     "It signs and decrypts as its owner.",
				Example: "-----BEGIN " + "PRIVATE KEY-----\n" + tail + tail + tail + "\n-----END",
				Similar: "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
			},
			// The text may be JSON inside JSON, where a line break is a backslash and an n.
			literals: []string{"-----begin"}, reach: 16 << 10,
			expr:   static(`(-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----(?:[A-Za-z-]+: [^\r\n\\]{0,80}[\r\n\\]|[\sA-Za-z0-9+/=\\])+)`),
			accept: func(_ string, loc []int) bool { return loc[3]-loc[2] >= 100 },
		},
		{
			Kind: Kind{
				ID: "json-web-token", Summary: "a JSON Web Token",
				Why:     "Until it expires, it is equivalent to a password.",
				Example: "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJvcHMtdGVhbSJ9." + tail,
				Similar: "eyJhbGciOiJIUzI1NiJ9.<payload>.<signature>",
			},
			// The header starts, before base64, with a quoted name: alg, typ, kid, jku, cty, enc, x5t, nonce, zip.
			literals: []string{"eyjh", "eyj0", "eyjr", "eyjq", "eyjj", "eyjl", "eyj4", "eyju", "eyj6"}, reach: 8 << 10,
			expr:   static(`\b(eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{16,})`),
			accept: liveToken,
		},
		{
			Kind: Kind{
				ID: "connection-string", Summary: "a password in a connection string",
				Why:     "It gives access to the database or service in the string.",
				Example: "postgres://app:" + tail[:12] + "@db.example.org/main",
				Similar: "postgres://user:password@localhost/main",
			},
			literals: []string{"s://", "l://", "b://", "v://", "p://", "r://", "n://"}, reach: 200,
			expr: static(`://[^\s:/?#@"'<>]{0,64}:([^\s/@"'<>]{1,128})@[A-Za-z0-9\[_$-]`),
			accept: func(text string, loc []int) bool {
				user := strings.TrimPrefix(text[loc[0]:loc[2]-1], "://")
				return !weakPassword(user, text[loc[2]:loc[3]])
			},
		},
	}
})
