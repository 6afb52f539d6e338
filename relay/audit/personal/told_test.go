package personal

import "testing"

// Names that a message has of its own can be personal data, and so can numbers that are names.
func TestPointersWithoutNames(t *testing.T) {
	for pointer, want := range map[string]string{
		"":                    "",
		"/taskDescription":    "/taskDescription",
		"/fromAgent/agentId":  "/fromAgent/agentId",
		"/relevantContext/12": "/relevantContext/12",
		"/currentState/byMail/a@example.net/note": "/currentState",
		"/currentState/491701234567":              "/currentState",
		"/Erika~1Mustermann":                      "",
		"no pointer":                              "",
	} {
		if got := Told(pointer); got != want {
			t.Errorf("%s is told as %q, want %q", pointer, got, want)
		}
	}
}
