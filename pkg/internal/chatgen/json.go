package chatgen

import (
	"encoding/json"
	"strings"
)

// quote returns a string as JSON.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // every string can be encoded
	}
	return string(text)
}

// object returns an object of alternating names and JSON values; members with the value "" are left
// out.
func (g *gen) object(members ...string) string {
	var all []string
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			all = append(all, quote(members[i])+":"+members[i+1])
		}
	}
	if g.shuffled {
		g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return "{" + strings.Join(all, ",") + "}"
}

func array(elements []string) string { return "[" + strings.Join(elements, ",") + "]" }

// when returns value if yes is true, otherwise "", which leaves a member out.
func when(yes bool, value string) string {
	if yes {
		return value
	}
	return ""
}
