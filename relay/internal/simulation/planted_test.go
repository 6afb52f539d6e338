package simulation

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
)

// planted are faults, each of which is put into the source separately; the schedules must detect it.
var planted = []struct{ name, file, old, new string }{
	{
		"a sender publishes before the record of it is durable", "relay/deliver/dispatch.go",
		"	if err := s.record(ctx, tries); err != nil {", "	s.publishAll(ctx, tries)\n	if err := s.record(ctx, tries); err != nil {",
	},
	{
		"a sender takes as sent what the transport has not confirmed", "relay/deliver/dispatch.go",
		"if t.err == nil && t.answer == nil && !t.Revoked", "if !isFinal(t.err) && t.answer == nil && !t.Revoked",
	},
	{
		"a sender notes that it has published before it does", "relay/deliver/dispatch.go",
		"	s.publishAll(ctx, tries)\n	if err := s.mark(ctx, tries); err != nil {\n		s.store.leave(list)\n		return err\n	}",
		"	if err := s.mark(ctx, tries); err != nil {\n		return err\n	}\n	s.publishAll(ctx, tries)",
	},
	{
		"a sender forgets that a try which failed may have arrived", "relay/deliver/dispatch.go",
		"		h.uncertain = h.uncertain || t.tried\n", "",
	},
	{
		"a sender acknowledges answers before they are stored", "relay/deliver/collect.go",
		"	foreign, err := s.takeMessages(", "	for _, d := range list {\n		if err := d.Ack(ctx); err != nil {\n			return err\n		}\n	}\n	foreign, err := s.takeMessages(",
	},
	{
		"a sender takes the rejection of an earlier attempt as one of this", "relay/deliver/answers.go",
		"if rejected && m.Attempt > 0 && m.Attempt < h.Attempt {", "if false {",
	},
	{
		"a sender takes the failure of an agent as older than its acceptance, by the clocks", "relay/deliver/answers.go",
		"same && knew && (a.Reason == receiver.ExecutionFailed ||", "same && knew && (false ||",
	},
	{
		"a sender takes an acceptance as newer than a revocation", "relay/deliver/answers.go",
		"case known.Reason == receiver.Revoked && got:", "case false:",
	},
	{
		"a rollback passes over an acceptance", "relay/deliver/rollback.go",
		"case h.State.Taken() && !r.Force:", "case false:",
	},
	{
		"a receiver takes an uncertain record as made", "relay/receiver/receiver.go",
		"	if err != nil {\n		return nil, err\n	}\n	return answers, nil", "	if _, uncertain := err.(*audit.UncertainError); err != nil && !uncertain {\n		return nil, err\n	}\n	return answers, nil",
	},
	{
		"a receiver forgets what it has accepted", "relay/receiver/history.go",
		"			p.accepted, p.ended, p.rolledBack = &s, false, nil\n			open", "			p.ended, p.rolledBack = false, nil\n			open",
	},
	{
		"a receiver accepts a copy that comes after its task was rolled back", "relay/receiver/receiver.go",
		"	case d.isStale(before):", "	case d.isStale(before) && false:",
	},
	{
		"a receiver accepts what its sender has revoked", "relay/receiver/receiver.go",
		"	case before.revoked != nil && before.accepted == nil:", "	case false:",
	},
	{
		"a receiver gives a message to an agent before that is recorded", "relay/intake/run.go",
		"	a.give(w.parts[:last]...)", "	a.give(w.parts...)",
	},
	{
		"a receiver acknowledges a message that it could not answer", "relay/intake/process.go",
		"		_ = within(func(ctx context.Context) error { return it.Return(ctx, returnAfter) })", "		_ = within(it.Ack)",
	},
	{
		"a receiver takes over what another one that runs is handing over", "relay/receiver/resume.go",
		"		return !r.isLeft(p) || r.options.As", "		return r.options.As",
	},
	{
		"a receiver never tries again a takeover that has failed", "relay/receiver/takeover.go",
		"	of.failed = true\n", "",
	},
	{
		"a receiver forgets who has to hear how an agent has ended", "relay/receiver/execution.go",
		`return replyName(p.ReplyTo) == "" || e.ExitCode != 0 && !e.AtOnce`, "return true",
	},
	{
		"a log forgets its last records at a crash", "relay/internal/simulation/sender_test.go",
		"	case what == dies || what == diesAfter:\n", "	case what == diesAfter:\n		l.forget(len(added))\n		fallthrough\n	case what == dies:\n",
	},
}

// seedFound is the form in which a failed schedule prints its seed.
var seedFound = regexp.MustCompile(`(?m)seed (\d+): (.*)`)

// TestPlanted checks that the schedules detect each planted fault.
func TestPlanted(t *testing.T) {
	if !tier.Full() {
		t.Skip("it builds a program for each fault: set " + tier.Variable)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			file := filepath.Join(root, filepath.FromSlash(p.file))
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), p.old); n != 1 {
				t.Fatalf("%s has the text %d times: %s", p.file, n, p.old)
			}
			dir := t.TempDir()
			edited, overlay, program := filepath.Join(dir, "edited.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "simulation.test")
			if err := os.WriteFile(edited, []byte(strings.Replace(string(source), p.old, p.new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			replace, err := json.Marshal(map[string]any{"Replace": map[string]string{file: edited}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(overlay, replace, 0o600); err != nil {
				t.Fatal(err)
			}
			build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./relay/internal/simulation")
			build.Dir = root
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			run := exec.CommandContext(t.Context(), program, "-test.run", "^TestSchedules$", "-schedules", "20000")
			run.Dir = dir
			out, err := run.CombinedOutput()
			found := seedFound.FindSubmatch(out)
			if err == nil || found == nil {
				t.Fatalf("20,000 schedules do not find it (%v)", err)
			}
			t.Logf("schedule %s: %s", found[1], found[2])
		})
	}
}
