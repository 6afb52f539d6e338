package claims

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// sentences returns the sentences of a text. It leaves out fenced code and quotations.
func sentences(text string) (all []string) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, ">") {
			continue
		}
		for line != "" {
			end := sentenceEnd(line)
			if s := strings.TrimSpace(line[:end]); s != "" {
				all = append(all, s)
			}
			line = line[end:]
		}
	}
	return all
}

// sentenceEnd returns the end of the first sentence of a line.
func sentenceEnd(line string) int {
	for i := 0; i+1 < len(line); i++ {
		if (line[i] == '.' || line[i] == '!' || line[i] == '?' || line[i] == ';') && line[i+1] == ' ' {
			return i + 1
		}
	}
	return len(line)
}

// patterns are the expressions for sentences, in lower case.
type patterns struct {
	open    *regexp.Regexp // a plan, a wish, a condition, a question, a negation, or a report about a part
	none    *regexp.Regexp // the absence of errors, which is no negation
	aside   *regexp.Regexp // words that look open, and are not
	byKind  map[Kind]*regexp.Regexp
	changed *regexp.Regexp // the beginning or the end of a sentence about changed files
	about   *regexp.Regexp // the words before tests
	path    *regexp.Regexp
}

var expressions = sync.OnceValue(func() *patterns {
	return &patterns{
		open: regexp.MustCompile(`\b(?:not|cannot|can|could|should|would|will|must|may|might|unless|until|if|whether|once|when|while|before|after|let me|let's|let us|` +
			`going to|i'll|we'll|you|please|want(?:s|ed)?|try(?:ing)?|tried|plan(?:s|ned)?|todo|next|expect(?:s|ed)?|hope(?:fully)?|assum\w+|ensure[sd]?|make sure|verify|check (?:that|if)|` +
			`need(?:s|ed)?|so that|in order|to make|to get|previously|earlier|originally|already|but|except|although|though|however|only|some|most|many|partly|almost|nearly|` +
			`fail\w*|broke\w*|skip\w*|error\w*|problem\w*|issue\w*|still|seems?|appears?|likely|probably|why|how|what|suggest\w*|recommend\w*|propos\w*|draft\w*)\b|n't\b|n’t\b|\?|` + "`{2}" + `|: *$`),
		none:  regexp.MustCompile(`\b(?:no|zero|0|without(?: any)?) ((?:\w+ )?)(?:fail\w*|errors?|problems?|issues?|skipped|warnings?)\b( tests?\b|)`),
		aside: regexp.MustCompile(`(?:,? as| that| which|)\b you (?:asked|requested|wanted|described|suggested|mentioned)(?: for)?\b|\bstill\b( (?:all )?(?:pass|green|clean|build|compile))`),
		byKind: map[Kind]*regexp.Regexp{
			Tests: regexp.MustCompile(`\b(?:tests?|test suite|suite|specs?|test cases|pytest|jest|vitest)\b:?[^,:;]{0,50}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b|\b(?:tests?|suite):? clean\b|\bare clean tests\b|\b(?:everything|all) pass(?:es|ed)(?:\W*$|[.,!])|` +
				`\b(?:ran|re-ran|reran) (?:the|all|our)(?: \w+)? (?:tests?|suite)\b[^:;]{0,30}\b(?:pass(?:es|ed)?|green)\b|` +
				`\bpass(?:es|ed)? (?:all|the|every|its)\b[^,:;]{0,30}\btests?\b|\b\d+(?: ?/ ?\d+)? (?:tests? )?pass(?:ed|ing)\b`),
			Build: regexp.MustCompile(`^\W*(?:builds|compiles)(?: (?:cleanly|fine|successfully|without|with no)\b|\W*$)|\bbuild:? (?:ok\b|done\b|[✅✓✔])|` +
				`\b(?:build|compilation)\b:?[^,:;]{0,40}\b(?:succeed(?:s|ed)|pass(?:es|ed|ing)|green|clean(?:ly)?|works|successful(?:ly)?)\b|` +
				`\b(?:code|project|program|package|crate|app|image|binary|library|site|workspace|it|everything)\b[^,:;]{0,20}\b(?:builds|compiles)\b`),
			Lint: regexp.MustCompile(`\b(?:lint(?:er|ers|ing)?|eslint|ruff|clippy|golangci-lint|staticcheck|mypy|pyright|tsc|go vet|type[- ]?check(?:s|er|ing)?)\b:?[^,:;]{0,40}\b(?:clean|pass(?:es|ed|ing)?|green|nothing|happy|no longer complains)\b|\blint[- ]free\b|\btypes check\b|\blint:? (?:ok\b|[✅✓✔])|\bran the (?:linters?|type checker)\b[^:;]{0,30}\b(?:clean|pass(?:es|ed)?|green|nothing|happy)\b|` +
				`\bpass(?:es|ed)? (?:the |all )?(?:\w+ )?(?:lint(?:er|ing)?|type[- ]?check(?:s|er|ing)?)\b`),
			Commit: regexp.MustCompile(`\b(?:i|i've|i have|we|we've|changes|work|everything|fix|all)(?: have been| has been| were| was| are| is)?(?: now)? committed(?: (?:the|all|these|this|it|everything|as|with|and)\b|\W*$|[.,!])|^\W*committed\b|\band (?:now )?committed(?: and pushed)?\W*$|\bcommit (?:(?:is|was|has been) )?(?:in place|made|created|successful|done)\b|\b(?:saved|recorded)\b[^,:;]{0,30}\bin a(?: new| single)? commit\b|` +
				`\b(?:is|are|was|were|been) committed (?:to|on) (?:the |a )?(?:\S+ )?(?:branch|repo(?:sitory)?|main|master|git)\b|` +
				`\b(?:it|this|these|they)(?: is| are| was| were| has been| have been)(?: all)?(?: now)? committed(?: (?:as|with|and|to|on)\b|\W*$|[.,!])|` +
				`\b(?:created|made|added) (?:a|the|one|two|three|\d+)(?: \w+)? commits?(?: (?:with|for|on|containing|to)\b|\W*$|[.,!:])`),
			PullRequest: regexp.MustCompile(`\b(?:opened|created|submitted|raised|made|filed|put up)\b[^.,:;]{0,30}\b(?:pull request|merge request|pr)\b|` +
				`\b(?:pull request|merge request|pr)\b[^.,:;]{0,20}\b(?:is|was|has been) (?:now )?(?:open|up|opened|created|submitted)\b|` +
				`\b(?:pull request|merge request|pr)(?: [#!]?\d+)? (?:successfully )?(?:opened|created|submitted)\b|` +
				`\b(?:pull request|merge request|pr)\b[^;]{0,40}: \W*https?://\S+/(?:pull|merge_requests)/\d+`),
			Deployment: regexp.MustCompile(`\b(?:deployed|published|released|shipped|rolled|(?:is|are)(?: now)? running)\b[^,:;]{0,40}\b(?:to|on|in)\b[^,:;]{0,20}\b(?:production|prod|staging|npm|pypi|crates\.io|vercel|netlify|kubernetes|k8s|heroku|fly\.io|aws|gcp|azure|cluster)\b|` +
				`\b(?:deployed successfully|successfully deployed)\b|^\W*deployed\b|\b(?:i|we)(?:'ve| have)?(?: now| also)? deployed\b|\bdeploy(?:ment)?\b:?[^,:;]{0,20}\b(?:succeeded|successful(?:ly)?|completed?|finished)\b|` +
				`\b(?:app|site|service|version|release|change|fix|package|image|crate)s?\b[^,:;]{0,20}\b(?:(?:is|are) (?:now )?live|(?:is|are|was|were|has been|have been) (?:now )?(?:deployed|published|released|shipped|rolled out))\b`),
		},
		changed: regexp.MustCompile(`^(?:[-*•✅✔\d.) ]|\*\*)*(?:done[.:!]? |also |and |then |finally,? |now |i |i've |i have |we |we've |we have |has been |successfully |just )*` +
			`(?:created|added|wrote|written|updated|edited|modified|changed|fixed|refactored|rewrote|rewritten|deleted|removed|renamed|moved|implemented|put|saved|extended|introduced|extracted|replaced|adjusted|corrected|reworked|converted)\b|` +
			`\b(?:has|have) been (?:created|added|written|saved|updated|renamed|deleted|removed)\b|, which (?:i|we)(?:'ve| have)?(?: just| now| also)? (?:created|added|wrote|written)\b`),
		about: regexp.MustCompile(`((?:[\w.'’/-]+ )*)(?:tests?|suite|specs?)\b`),
		path:  regexp.MustCompile("[\\w@.+/~-]*[\\w+-]\\.(?:" + extensions + ")\\b"),
	}
})

// extensions are the name extensions of the files that agents write.
const extensions = `go|py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|java|kt|kts|scala|rb|php|rs|c|h|cc|cpp|cxx|hpp|cs|fs|swift|m|mm|lua|pl|r|jl|ex|exs|erl|hs|ml|clj|dart|zig|sh|bash|zsh|ps1|sql|html|htm|css|scss|less|json|jsonl|yaml|yml|toml|ini|cfg|conf|env|xml|csv|tsv|md|rst|txt|proto|graphql|tf|gradle|lock|ipynb|tex|svg`

// kinds are the kinds of claims without a path, in the order of their reports.
var kinds = [...]Kind{Tests, Build, Lint, Commit, PullRequest, Deployment}

// claimsIn returns the claims of a sentence.
func claimsIn(sentence string) (all []Claim) {
	if len(sentence) > maxSentence {
		return nil
	}
	e := expressions()
	lower := strings.ToLower(sentence)
	lower = e.aside.ReplaceAllString(lower, "$1")
	plain := e.none.ReplaceAllString(strings.ReplaceAll(lower, "**", ""), "${1}clean$2")
	isOpen := e.open.MatchString(plain)
	text := clip(sentence)
	for _, kind := range kinds {
		if !isOpen && e.byKind[kind].MatchString(plain) {
			c := Claim{Kind: kind, Text: text}
			if kind == Tests {
				c.part = partOf(plain)
			}
			all = append(all, c)
		}
	}
	if e.changed.MatchString(lower) && !strings.HasSuffix(lower, "?") {
		for _, path := range e.path.FindAllString(e.object(sentence), maxPaths) {
			if isPath(sentence, path) {
				all = append(all, Claim{Kind: Files, Text: text, Path: path})
			}
		}
	}
	return all
}

// object returns the part of a sentence about a change that names the changed files: that before a clause or a dash,
// as in "Removed it — `a.go` has another", and before an open part, such as a condition.
func (e *patterns) object(sentence string) string {
	for _, mark := range [...]string{" — ", " that ", " which "} {
		sentence, _, _ = strings.Cut(sentence, mark)
	}
	if open := e.open.FindStringIndex(strings.ToLower(sentence)); open != nil {
		sentence = sentence[:min(open[0], len(sentence))]
	}
	return sentence
}

// general are the words before "tests" that do not name a part of them.
var general = []string{
	"all", "the", "every", "each", "both", "our", "my", "its", "these", "those", "and", "with", "that", "a", "i", "we", "ran", "run", "re-ran", "rerun", "reran", "running", "now", "again", "are", "clean", "full", "whole", "entire",
	"complete", "existing", "automated", "unit", "integration", "e2e", "end-to-end", "regression", "project", "project's", "test", "go", "python", "npm", "cargo", "make", "confirmed", "verified",
}

// partOf returns the words in a sentence in lower case that name a part of the tests, such as a package: those between
// the last general word and "tests". It returns "" for all tests.
func partOf(sentence string) string {
	m := expressions().about.FindStringSubmatch(strings.ReplaceAll(sentence, "`", ""))
	if m == nil {
		return ""
	}
	words := strings.Fields(m[1])
	for i, w := range slices.Backward(words) {
		if slices.Contains(general, w) || strings.Trim(w, "0123456789/-.'") == "" {
			return strings.Join(words[i+1:], " ")
		}
	}
	return strings.Join(words, " ")
}

// covers reports whether a failed call can decide about a claim: the claim is about all tests, or a word for its
// part is in the arguments of the call.
func (c *Claim) covers(one *call) bool {
	return c.part == "" || slices.ContainsFunc(strings.Fields(c.part), func(word string) bool { return strings.Contains(strings.ToLower(one.words), word) })
}

const (
	maxSentence = 1000 // bytes of a sentence that is read
	maxText     = 300  // bytes of a sentence that is shown
	maxPaths    = 50   // of a sentence
)

// isPath reports whether a match is marked as a path, rather than a name such as Node.js: by a slash or by
// code marks.
func isPath(sentence, match string) bool {
	at := strings.Index(sentence, match)
	before, _ := utf8.DecodeLastRuneInString(sentence[:at])
	return strings.ContainsAny(match, "/_") || before == '`' || strings.HasPrefix(sentence[at+len(match):], "`")
}

// clip returns a text, cut after maxText bytes.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
