package secrets

import (
	"regexp"
	"strings"
)

// Assigned is the kind of what [FindAssigned] finds.
var Assigned = Kind{
	ID: "assigned-secret", Summary: "a value that is assigned to the name of a credential",
	Why:     "A file of environment variables and a header of HTTP have passwords that look like nothing in particular.",
	Example: "DB_PASSWORD=" + "correct-horse-battery",
	Similar: "DB_PASSWORD=$PASSWORD",
}

// The value is the first group: of an environment variable, in capitals, whose name ends as a
// credential's, in a file of them, a command or YAML; of Authorization.
var assigned = [...]func() *regexp.Regexp{
	static(`\b(?:[A-Z0-9]+_)+(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)["']?[ \t]*[=:][ \t]*["']?([^\s"'\\,;)}]{8,})`),
	static(`\b(?:PASSWORD|PASSWD|SECRET|TOKEN)["']?[ \t]*[=:][ \t]*["']?([^\s"'\\,;)}]{8,})`),
	static(`(?i:\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+)([A-Za-z0-9._~+/=-]{8,})`),
}

// FindAssigned returns the values in a text that are assigned to an environment variable with the
// name of a credential, such as DB_PASSWORD, or to Authorization. They need not look like
// credentials, so that it finds more than [Find], and more that are none: it is for texts that are
// passed on, in which one masked word too many does no harm.
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
