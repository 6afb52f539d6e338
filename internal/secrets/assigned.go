package secrets

import (
	"regexp"
	"strings"
)

// Assigned is the kind of secrets that [FindAssigned] finds.
var Assigned = Kind{
	ID: "assigned-secret", Summary: "a value that is assigned to the name of a credential",
	Why:     "Passwords in environment files and HTTP headers have no form of their own: only the name beside them identifies them.",
	Example: "DB_PASSWORD=" + "correct-horse-battery",
	Similar: "DB_PASSWORD=$PASSWORD",
}

// assigned are expressions whose first group is the value of an environment variable or of Authorization, each with a
// quick test that rejects most texts. The variable is in capitals, with a name that ends like a credential's, in an
// environment file, a command or YAML.
var assigned = [...]struct {
	mayMatch func(text string) bool
	expr     func() *regexp.Regexp
}{
	{namesCredential, static(`\b(?:[A-Z0-9]+_)+(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)["']?[ \t]*[=:][ \t]*["']?([^\s"'\\,;)}]{8,})`)},
	{namesCredential, static(`\b(?:PASSWORD|PASSWD|SECRET|TOKEN)["']?[ \t]*[=:][ \t]*["']?([^\s"'\\,;)}]{8,})`)},
	{namesAuthorization, static(`(?i:\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+)([A-Za-z0-9._~+/=-]{8,})`)},
}

// namesCredential reports whether a text has a word with which the name of an environment variable ends.
func namesCredential(text string) bool {
	for _, word := range [...]string{"PASS", "PWD", "SECRET", "TOKEN", "KEY", "CREDENTIAL"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// namesAuthorization reports whether a text has the word "authorization" in any case.
func namesAuthorization(text string) bool {
	const word = "authorization"
	rare := strings.IndexByte(word, 'z')
	for _, z := range [...]byte{'z', 'Z'} {
		for at := 0; at < len(text); at++ {
			next := strings.IndexByte(text[at:], z)
			if next < 0 {
				break
			}
			at += next
			if begin := at - rare; begin >= 0 && len(text)-begin >= len(word) && strings.EqualFold(text[begin:begin+len(word)], word) {
				return true
			}
		}
	}
	return false
}

// FindAssigned returns the values in a text that are assigned to an environment variable with the name of a
// credential, such as DB_PASSWORD, or to Authorization. The values need not look like credentials, so it
// finds more than [Find], with more false positives: it is for texts that are passed on, where an unnecessary
// mask does no harm.
func FindAssigned(text string) []Secret {
	var found []Secret
	for _, a := range assigned {
		if !a.mayMatch(text) {
			continue
		}
		for _, loc := range a.expr().FindAllStringSubmatchIndex(text, -1) {
			value := text[loc[2]:loc[3]]
			if strings.IndexByte("$%<{([", value[0]) < 0 && !strings.HasPrefix(value, "process.env") && !strings.HasPrefix(value, "os.") && !strings.HasSuffix(value, "(") {
				found = append(found, Secret{Assigned, loc[2], loc[3] - loc[2]})
			}
		}
	}
	return found
}
