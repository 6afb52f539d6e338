package secrets

import "testing"

// A value assigned to the name of a credential is found, and a description of its source is not.
func TestFindAssigned(t *testing.T) {
	tests := []struct{ text, want string }{
		{"DB_PASSWORD=" + "correct-horse-battery\nPORT=5432", "correct-horse-battery"},
		{"export STRIPE_API_KEY='" + "abcd1234efgh'", "abcd1234efgh"},
		{"  POSTGRES_PASSWORD: " + "hunter22222", "hunter22222"},
		{`{"JWT_SECRET": "` + `quite-a-long-one"}`, "quite-a-long-one"},
		{"curl -H 'Authorization: Bearer " + "abcDEF123456' x", "abcDEF123456"},
		{"authorization: basic " + "dXNlcjpwYXNz", "dXNlcjpwYXNz"},
		{"a Zebra, size 3\nAUTHORIZATION=Token " + "dXNlcjpwYXNz", "dXNlcjpwYXNz"},
		{"PASSWORD=" + "swordfish!", "swordfish!"},
		{"DB_PASSWORD=$PASSWORD", ""},
		{"API_KEY=${API_KEY:-none-at-all}", ""},
		{"const TOKEN = process.env.TOKEN", ""},
		{"DB_PASSWORD=<your password>", ""},
		{"token = lexer.next()", ""},
		{"the password: see the vault", ""},
		{"MONKEY=bananas-and-more", ""},
		{"Authorization: Bearer $TOKEN", ""},
		{Assigned.Example, "correct-horse-battery"},
		{Assigned.Similar, ""},
	}
	for _, tt := range tests {
		got := ""
		if found := FindAssigned(tt.text); len(found) > 0 {
			got = tt.text[found[0].Offset:][:found[0].Length]
		}
		if got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.text, got, tt.want)
		}
	}
}
