package privacy

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Policy defines personal data. The zero Policy is the default.
type Policy struct {
	// Classes configure single classes: whether they count, and their thresholds. Other classes
	// count from [DefaultThreshold] on.
	Classes map[Class]ClassPolicy `json:"classes,omitzero"`
	// Allow are values that are not personal data, such as the company's own telephone number. A
	// value that begins with "@" means all addresses of a domain.
	Allow []string `json:"allow,omitzero"`
	// Patterns define further personal data and its classes.
	Patterns []PatternPolicy `json:"patterns,omitzero"`
	// Regions are the countries whose telephone numbers have precedence.
	Regions []string `json:"regions,omitzero"`
	// Always are JSON Pointers of values that are always personal data, and Never of values that
	// are not scanned, with all their contents. The token "*" matches any token.
	Always []string `json:"always,omitzero"`
	Never  []string `json:"never,omitzero"`
	// Subject is the JSON Pointer of the data subject's id in a message.
	Subject string `json:"subject,omitzero"`
}

// A ClassPolicy configures a class.
type ClassPolicy struct {
	Off       bool    `json:"off,omitzero"`
	Threshold float64 `json:"threshold,omitzero"`
}

// A PatternPolicy is a user-defined class.
type PatternPolicy struct {
	Class   Class   `json:"class"`
	Pattern string  `json:"pattern"`
	Score   float64 `json:"score,omitzero"` // 0 means 0.9
}

// pattern is a compiled [PatternPolicy].
type pattern struct {
	class      Class
	score      float64
	expression *regexp.Regexp
}

// ParsePolicy parses a policy in JSON. An error has the invalid member.
func ParsePolicy(text []byte) (Policy, error) {
	var p Policy
	if err := json.Unmarshal(text, &p, json.RejectUnknownMembers(true)); err != nil {
		var semantic *json.SemanticError
		switch {
		case !errors.As(err, &semantic):
			return p, fmt.Errorf("policy: not JSON: %w", err)
		case errors.Is(err, json.ErrUnknownName):
			return p, fmt.Errorf("policy: %s: unknown member; remove it", semantic.JSONPointer)
		}
		return p, fmt.Errorf("policy: %s: a value of the wrong type; see docs/privacy.md", cmp.Or(semantic.JSONPointer, "the whole document"))
	}
	_, err := New(p)
	return p, err
}

// isClass reports whether a name has the form of a class: small letters, digits, hyphens.
func isClass(name Class) bool {
	return name != "" && len(name) <= 30 && strings.Trim(string(name), "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && isLower(name[0])
}

// prepare checks the policy and compiles it.
func (s *Scanner) prepare() error {
	known := Classes()
	for i, own := range s.policy.Patterns {
		at := fmt.Sprintf("policy: /patterns/%d", i)
		if !isClass(own.Class) {
			return fmt.Errorf("%s/class: %q is not a class; use small letters, digits and hyphens", at, own.Class)
		}
		expression, err := regexp.Compile(own.Pattern)
		switch {
		case err != nil:
			return fmt.Errorf("%s/pattern: %w", at, err)
		case expression.MatchString(""):
			return fmt.Errorf("%s/pattern: %q matches the empty text; require at least one character", at, own.Pattern)
		case own.Score < 0 || own.Score > 1:
			return fmt.Errorf("%s/score: %g; use 0 to 1", at, own.Score)
		}
		s.patterns = append(s.patterns, pattern{own.Class, cmp.Or(own.Score, 0.9), expression})
		known = append(known, own.Class)
	}
	s.thresholds = map[Class]float64{}
	for class, c := range s.policy.Classes {
		switch {
		case !slices.Contains(known, class):
			return fmt.Errorf("policy: /classes/%s: unknown class; use one of %s, or give it a pattern", class, list(known))
		case c.Threshold < 0 || c.Threshold > 1:
			return fmt.Errorf("policy: /classes/%s/threshold: %g; use 0 to 1", class, c.Threshold)
		case c.Off:
			s.thresholds[class] = 2
		default:
			s.thresholds[class] = cmp.Or(c.Threshold, DefaultThreshold)
		}
	}
	s.labels.of = map[string]label{}
	s.allowed = map[string]bool{}
	for i, value := range s.policy.Allow {
		if value == "" || value == "@" {
			return fmt.Errorf("policy: /allow/%d: empty; name a value", i)
		}
		if value[0] == '@' {
			s.domains = append(s.domains, strings.ToLower(value))
		}
		s.allowed[fold(value)] = true
	}
	for _, lists := range []struct {
		name     string
		pointers []string
	}{{"always", s.policy.Always}, {"never", s.policy.Never}} {
		for i, pointer := range lists.pointers {
			if _, ok := jsonstream.SplitPointer(pointer); !ok {
				return fmt.Errorf("policy: /%s/%d: %q is not a JSON Pointer: write it as /member/0/member", lists.name, i, pointer)
			}
		}
	}
	if tokens, ok := jsonstream.SplitPointer(s.policy.Subject); !ok || s.policy.Subject != "" && slices.Contains(tokens, "*") {
		return fmt.Errorf("policy: /subject: %q is not a JSON Pointer to one value: write it as /member/0/member", s.policy.Subject)
	}
	for i, region := range s.policy.Regions {
		if len(region) != 2 || strings.ToUpper(region) != region {
			return fmt.Errorf("policy: /regions/%d: %q is not a country code; write it as DE", i, region)
		}
	}
	return nil
}

func list(classes []Class) string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

// Policy returns the policy of the scanner, which the caller must not change.
func (s *Scanner) Policy() Policy { return s.policy }

// fold returns a value in the form used for comparison: lower case, without separators.
func fold(value string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '.' || r == '(' || r == ')' || r == 0xA0 {
			return -1
		}
		return r
	}, strings.ToLower(value))
}

// isAllowed reports whether the policy allows a value.
func (s *Scanner) isAllowed(class Class, value string) bool {
	if len(s.allowed) == 0 {
		return false
	}
	if class == Email && len(s.domains) > 0 {
		at := strings.LastIndexByte(value, '@')
		if slices.Contains(s.domains, strings.ToLower(value[at:])) {
			return true
		}
	}
	return s.allowed[fold(value)]
}

// ownPatterns searches for the policy's own patterns.
func (f *finder) ownPatterns() {
	for _, p := range f.patterns {
		for _, at := range p.expression.FindAllStringIndex(f.text, -1) {
			if at[0] < at[1] {
				f.add(p.class, "", at[0], at[1], p.score)
			}
		}
	}
}
