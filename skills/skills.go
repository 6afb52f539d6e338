// Package skills embeds the skills for coding agents.
package skills

import _ "embed"

// Handoff is the file SKILL.md of the skill handoff.
//
//go:embed handoff/SKILL.md
var Handoff []byte
