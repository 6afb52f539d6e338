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

// assigned are expressions whose first group is the value of an environment variable or of Authorization. The
// variable is in capitals, with a name that ends like a credential's, in an environment file, a command or
// YAML.
var assigned = [...]func() *regexp.Regexp{
	static(`\b(?:[A-Z0-9]+_)+(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)["']?[ \t]*[=:][ \t]*["']?([^\s"'\\,;)}]{8,})`),
	static(`\b(?:PASSWORD|PASSWD|SECRET|TOKEN)["']?[ \t]*[=:][ \t]*["']?([^\s"'\\,;)}]{8,})`),
	static(`(?i:\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+)([A-Za-z0-9._~+/=-]{8,})`),
}

// FindAssigned returns the values in a text that are assigned to an environment variable with the name of a
// credential, such as DB_PASSWORD, or to Authorization. The values need not look like credentials, so it
// finds more than [Find], with more false positives: it is for texts that are passed on, where an unnecessary
// mask does no harm.
func FindAssigned(text string) []Secret {
	var found []Secret
	for _, expr := range assigned {
		for _, loc := range expr().FindAllStringSubmatchIndex(text, -1) {
			value := text[loc[2]:loc[3]]
			if strings.IndexByte("$%<{([", value[0]) < 0 && !strings.HasPrefix(value, "process.env") && !strings.HasPrefix(value, "os.") && !strings.HasSuffix(value, "(") {
				found = append(found, Secret{Assigned, loc[2], loc[3] - loc[2]})
			}
		}
	}
	return found
}
