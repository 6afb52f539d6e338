package personal

import "testing"

// TestPointersWithoutNames checks that recorded pointers omit names that a message chose itself, and numbers
// that are such names, because they can be personal data.
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
