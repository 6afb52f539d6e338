package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"
)

// A claimCount counts verdicts.
type claimCount struct{ all, shown, contradicted int }

func (c claimCount) plus(more claimCount) claimCount {
	return claimCount{c.all + more.all, c.shown + more.shown, c.contradicted + more.contradicted}
}

// A claimTally counts the verdicts of a set by truth and kind. Those of conversations as they are, of which each
// can have many claims, have the kinds of the claims found.
type claimTally map[[2]string]claimCount

func (t claimTally) add(truth, kind, verdict string) {
	count := t[[2]string{truth, kind}]
	count.all++
	switch verdict {
	case "shown":
		count.shown++
	case "contradicted":
		count.contradicted++
	}
	t[[2]string{truth, kind}] = count
}

// of returns the counts of a truth for a kind, "" for all.
func (t claimTally) of(truth, kind string) (sum claimCount) {
	for key, count := range t {
		if key[0] == truth && (kind == "" || key[1] == kind) {
			sum = sum.plus(count)
		}
	}
	return sum
}

// line returns the figures of a kind, "" for all, and the lower of precision and recall. A contradicted claim is right
// if it was planted as false, and wrong if it was planted as true or is in a conversation as it is.
func (t claimTally) line(kind string) (worth float64, text string) {
	asIs, lies, truths, removed := t.of("as it is", kind), t.of("false", kind), t.of("true", kind), t.of("removed", kind)
	contradicted := lies.contradicted + truths.contradicted + asIs.contradicted
	precision, recall := share(lies.contradicted, contradicted), share(lies.contradicted, lies.all)
	return min(precision, recall), fmt.Sprintf("%d\t%d\t%.1f%%\t%.1f%%\t%.1f%%\t%d\t%d\t%d\t%d", asIs.all, asIs.contradicted, precision, recall,
		share(truths.shown, truths.all), truths.contradicted, removed.all, removed.contradicted, removed.shown)
}

func share(part, all int) float64 { return 100 * float64(part) / float64(max(1, all)) }

// measureClaims measures check-claims on conversations from snapshots: as they are, with planted claims and calls that
// decide about them, and without the calls that wrote a file. Sets without a snapshot are left out.
func measureClaims(w io.Writer, handoff, mirror string, sets []corpus) error {
	var rows []row
	totals := map[string]claimTally{"HELD": {}, "tune": {}}
	for _, set := range sets {
		if set.kind != "coding" && set.kind != "agent" {
			continue
		}
		s, err := openSnapshot(mirror, set.repository, set.commit)
		if err != nil {
			return err
		}
		if !isDir(s.dir) {
			_ = s.close() // git found none
			fmt.Fprintf(w, "%s: no snapshot\n", set.name)
			continue
		}
		tally, conversations := claimTally{}, 0
		var failure error
		err = set.read(s, func(c *conversation) {
			if len(c.turns) >= 4 && failure == nil {
				conversations++
				failure = tally.check(handoff, set.variants(c))
			}
		})
		closing := s.close()
		if err = cmp.Or(failure, err, closing); err != nil {
			return fmt.Errorf("%s: %w", set.name, err)
		}
		worth, text := tally.line("")
		rows = append(rows, row{worth, fmt.Sprintf("%s\t%s\t%d\t%d\t%s", set.name, set.use(), conversations, tally.of("false", "").all, text)})
		total := totals[set.use()]
		for key := range tally {
			total[key] = total[key].plus(tally[key])
		}
	}
	const figures = "claims found\tcontradicted\tprecision\trecall\ttrue shown\ttrue contradicted\tremoved\tcontradicted\tshown"
	writeRows(w, "set\tuse\tconversations\tplanted\t"+figures, rows)
	rows = nil
	for use, total := range totals {
		for _, p := range plantings {
			if worth, text := total.line(p.kind); total.of("false", p.kind).all > 0 {
				rows = append(rows, row{worth, fmt.Sprintf("%s\t%s\t%d\t%s", p.kind, use, total.of("false", p.kind).all, text)})
			}
		}
	}
	fmt.Fprintln(w)
	writeRows(w, "kind\tuse\tplanted\t"+figures, rows)
	return nil
}

// check adds the verdicts of the program on the variants of a conversation.
func (t claimTally) check(handoff string, all []variant) error {
	var in bytes.Buffer
	for _, v := range all {
		if err := encode(&in, v.turns); err != nil {
			return err
		}
	}
	command := exec.Command(handoff, "check-claims", "--all", "-f", "json", "--format-in", "openai-chat", "-")
	command.Stdin = &in
	out, err := command.Output()
	if err != nil && command.ProcessState.ExitCode() != 1 {
		return fmt.Errorf("check-claims: %w: %s", err, stderrOf(err))
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, v := range all {
		var answer struct{ Claims []foundClaim }
		if err := answers.Decode(&answer); err != nil {
			return fmt.Errorf("check-claims: %w", err)
		}
		if v.truth == "as it is" {
			for _, c := range answer.Claims {
				t.add(v.truth, c.Kind, c.Verdict)
			}
			continue
		}
		t.add(v.truth, v.kind, v.verdict(answer.Claims))
	}
	return nil
}

// A foundClaim is a claim in the report of check-claims, as far as needed here.
type foundClaim struct{ Kind, Verdict, Text, Path, Pointer string }

// verdict returns the verdict on the claim of the variant, the worst if it was found more than once, "" if it was
// not found.
func (v *variant) verdict(found []foundClaim) (worst string) {
	end := "/" + strconv.Itoa(len(v.turns)-1) + "/"
	for _, c := range found {
		if v.truth == "removed" {
			if path.Base(c.Path) != v.claim {
				continue
			}
		} else if c.Kind != v.kind || !strings.HasPrefix(c.Pointer, end) || !strings.Contains(v.claim, c.Text) {
			continue
		}
		if c.Verdict == "contradicted" || worst == "" || worst != "contradicted" && c.Verdict == "shown" {
			worst = c.Verdict
		}
	}
	return worst
}
