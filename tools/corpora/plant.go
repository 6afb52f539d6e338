package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A variant is a conversation with a known truth.
type variant struct {
	truth string // "as it is", "false", "true" or "removed"
	kind  string // of the planted claim
	claim string // the planted text; for a removed call, the base name of its file
	turns []turn
}

// unsaid are the thoughts in a log, and the rest of a numbered file in which the log seems to end a result.
var unsaid = regexp.MustCompile(`(?s:<think>.*?</think>)|(?m:^ *\d+[→\t].*$)`)

// real returns the turns as the agent's program had them: with the real calls, and without text that was not said.
func (c *conversation) real() (turns []turn) {
	results := map[string]string{}
	for _, t := range c.turns {
		t.ToolCalls = slices.Clone(t.ToolCalls)
		for i, call := range t.ToolCalls {
			if call.real != nil {
				t.ToolCalls[i].Function.Arguments = compact(call.real.arguments)
				results[call.ID] = call.real.result
			}
		}
		if result, ok := results[t.ToolCallID]; ok && t.Role == "tool" {
			t.Content = result
		}
		if t.Role == "assistant" {
			t.Content = strings.TrimSpace(unsaid.ReplaceAllString(t.Content, ""))
		}
		if t.Role != "assistant" || t.Content != "" || len(t.ToolCalls) > 0 {
			turns = append(turns, t)
		}
	}
	return turns
}

// variants returns the conversation as it is, with a false and a true claim of each kind, and without calls.
// They depend only on the set and the conversation.
func (s *corpus) variants(c *conversation) []variant {
	turns := c.real()
	p := planter{rand.New(rand.NewChaCha8(sha256.Sum256([]byte(s.name + "\x00" + c.id)))), turns, textOf(turns)}
	all := []variant{{truth: "as it is", turns: turns}}
	for _, kind := range plantings {
		sentences := kind.claims
		if s.held {
			sentences = kind.fresh
		}
		for _, truth := range [...]string{"false", "true"} {
			all = append(all, p.plant(kind, truth, pick(p.Rand, sentences)))
		}
	}
	return append(all, withoutCalls(turns)...)
}

// A planter plants claims in a conversation.
type planter struct {
	*rand.Rand
	turns []turn
	text  string
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// plant returns the turns with a claim and the calls that decide it.
func (p *planter) plant(kind planting, truth, claim string) variant {
	work := &conversation{calls: 1_000_000}
	if kind.kind == "files" {
		var file string
		for file == "" || strings.Contains(p.text, path.Base(file)) {
			file = pick(p.Rand, plantedFolders) + pick(p.Rand, plantedNames) + pick(p.Rand, plantedTypes)
		}
		claim = strings.ReplaceAll(claim, "{}", file)
		if truth == "true" {
			p.write(work, file)
		}
	} else {
		d := pick(p.Rand, kind.decided)
		if truth == "true" {
			p.shell(work, d.command, d.good, 0)
		} else {
			p.shell(work, d.command, d.bad, d.status)
		}
	}
	if p.IntN(3) == 0 {
		p.shell(work, "git status --short", " M README.md", 0)
	}
	turns, last := p.turns, p.turns[len(p.turns)-1]
	said := claim
	switch isText := last.Role == "assistant" && len(last.ToolCalls) == 0; {
	case isText && p.IntN(2) == 0:
		turns, said = turns[:len(turns)-1], last.Content+"\n\n"+claim
	case p.IntN(2) == 0:
		said = "Here is what I did:\n\n" + claim + "\n\nLet me know if you want any changes."
	}
	return variant{truth, kind.kind, claim, slices.Concat(turns, work.turns, []turn{{Role: "assistant", Content: said}})}
}

// shell adds a call of a shell in the form of one of three agents.
func (p *planter) shell(c *conversation, command, output string, status int) {
	switch p.IntN(3) {
	case 0:
		if status != 0 {
			output = fmt.Sprintf("Exit code %d\n%s", status, output)
		}
		c.use("Bash", map[string]any{"command": command}, output)
	case 1:
		c.use("exec_command", map[string]any{"cmd": command}, fmt.Sprintf("Chunk ID: f26886\nWall time: 1.0518 seconds\nProcess exited with code %d\nOutput:\n%s", status, output))
	default:
		c.use("shell", map[string]any{"command": []string{"bash", "-lc", command}}, compact(map[string]any{"output": output, "metadata": map[string]any{"exit_code": status}}))
	}
}

// write adds a call that writes a file.
func (p *planter) write(c *conversation, file string) {
	switch p.IntN(5) {
	case 0:
		c.use("Write", map[string]any{"file_path": "/home/dev/app/" + file, "content": "x"}, "File created successfully at: /home/dev/app/"+file)
	case 1:
		c.use("Edit", map[string]any{"file_path": "/home/dev/app/" + file, "old_string": "x", "new_string": "y"}, "The file /home/dev/app/"+file+" has been updated.")
	case 2:
		c.use("str_replace_based_edit_tool", map[string]any{"command": "create", "path": file, "file_text": "x"}, "New file created successfully at "+file)
	case 3:
		c.use("apply_patch", map[string]any{"input": "*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch"}, "Success. Updated the following files:\nA "+file)
	default:
		p.shell(c, "cat > "+file+" <<'EOF'\nx\nEOF", "", 0)
	}
}

var claimsWrite = regexp.MustCompile(`(?i)\b(?:created|added|wrote|updated|modified|fixed|implemented|refactored|rewrote|deleted|renamed)\b`)

// withoutCalls returns a variant for each file that a call writes and a later text of the agent claims to have
// written: without all calls that name it.
func withoutCalls(turns []turn) (all []variant) {
	var seen []string
	for i, t := range turns {
		for _, call := range t.ToolCalls {
			if call.real == nil || call.real.arguments["file_path"] == "" {
				continue
			}
			base := path.Base(call.real.arguments["file_path"])
			if slices.Contains(seen, base) || !isClaimed(turns[i:], base) {
				continue
			}
			seen = append(seen, base)
			dropped := map[string]bool{}
			all = append(all, variant{"removed", "files", base, slices.DeleteFunc(slices.Clone(turns), func(t turn) bool {
				if len(t.ToolCalls) == 1 && strings.Contains(t.ToolCalls[0].Function.Arguments, base) {
					dropped[t.ToolCalls[0].ID] = true
					return true
				}
				return t.Role == "tool" && dropped[t.ToolCallID]
			})})
		}
	}
	return all
}

// isClaimed reports whether a line of the agent's texts names a file and a change.
func isClaimed(turns []turn, base string) bool {
	for _, t := range turns {
		if t.Role != "assistant" {
			continue
		}
		for line := range strings.Lines(t.Content) {
			if strings.Contains(line, base) && claimsWrite.MatchString(line) {
				return true
			}
		}
	}
	return false
}
