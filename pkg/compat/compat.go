// Package compat compares two versions of a JSON Schema (draft 2020-12): it finds the changes, the kind of
// version that they require (EAAPL-MAG006, section 14.3), and documents that prove it.
//
// A version is backward compatible if every valid document of the old version is valid under it, and forward
// compatible if every document valid under it is valid under the old version. [Yes] rests on a proof. [No]
// rests on a document, which has been validated with both schemas. [Unknown] is neither: it counts as
// incompatible.
package compat

import (
	"encoding/json"
	"fmt"

	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Bump is the part of a version number that a change requires to be increased.
type Bump string

// The bumps of section 14.3, the smallest first.
const (
	None  Bump = "none"
	Minor Bump = "minor"
	Major Bump = "major"
)

// Covers reports whether a new version of kind b is enough for a change of kind other.
func (b Bump) Covers(other Bump) bool { return b.rank() >= other.rank() }

func (b Bump) rank() int {
	switch b {
	case Major:
		return 2
	case Minor:
		return 1
	default:
		return 0
	}
}

// Announced returns the bump between two version numbers, "" if one of them is unknown. In versions 0.x, a
// minor version may change everything (Semantic Versioning 2.0.0, item 4).
func Announced(older, newer string) Bump {
	a, err := semver.ParsePartial(older)
	b, err2 := semver.ParsePartial(newer)
	switch {
	case err != nil || err2 != nil:
		return ""
	case b.Major > a.Major || a.Major == 0 && b.Compare(a) > 0:
		return Major
	case b.Major == a.Major && b.Minor > a.Minor:
		return Minor
	default:
		return None
	}
}

// A Verdict states whether schemas are compatible in one direction.
type Verdict string

// The verdicts.
const (
	Yes     Verdict = "yes"
	No      Verdict = "no"
	Unknown Verdict = "unknown"
)

// A Kind is a kind of change.
type Kind string

// The kinds of changes.
const (
	MemberAdded    Kind = "member-added"    // a new optional member
	MemberRequired Kind = "member-required" // a member, new or not, is required now
	MemberOptional Kind = "member-optional" // a member is not required any more
	MemberRemoved  Kind = "member-removed"
	TypeChanged    Kind = "type-changed"
	Narrowed       Kind = "narrowed" // less is valid than before
	Widened        Kind = "widened"  // more is valid than before
	Reworded       Kind = "reworded" // the same is valid as before
	Changed        Kind = "changed"  // values that were valid may be invalid now, and the reverse
)

// A Change is one difference between two schemas.
type Change struct {
	// Pointer is the JSON Pointer of the change in the new schema; in the old one if InOld is set, because
	// the new one lacks the place.
	Pointer string          `json:"pointer"`
	InOld   bool            `json:"inOld,omitzero"`
	Kind    Kind            `json:"kind"`
	Bump    Bump            `json:"bump"`
	Old     json.RawMessage `json:"old,omitzero"` // what was there
	New     json.RawMessage `json:"new,omitzero"` // what is there
	// Backward and Forward are the verdicts for this change alone.
	Backward Verdict `json:"backward"`
	Forward  Verdict `json:"forward"`
	// Refused is a document that is valid under the old schema and not under the new one, and
	// Unread one that is valid under the new schema and not under the old one.
	Refused *Witness `json:"refused,omitzero"`
	Unread  *Witness `json:"unread,omitzero"`
	// Undeprecated reports that a removed value, or one with a new type, was not marked as deprecated in the
	// old schema: section 14.3 requires a release with that mark.
	Undeprecated bool `json:"undeprecated,omitzero"`
}

// A Witness is a document that is valid under one schema and not under the other.
type Witness struct {
	Document json.RawMessage `json:"document"`
	Pointer  string          `json:"pointer"` // where it breaks the other schema
	Problem  string          `json:"problem"` // how
}

// A Report is the result of comparing two schemas.
type Report struct {
	Bump     Bump     `json:"bump"`
	Backward Verdict  `json:"backward"`
	Forward  Verdict  `json:"forward"`
	Changes  []Change `json:"changes"`
}

// MaxValues is the maximum number of JSON values in a schema to compare: the time of the schema library grows
// with their square.
const MaxValues = 1 << 13

// Compare compares two versions of a schema. Neither may refer to other documents (see registry.Bundle). It
// returns an error if one of them is not a JSON Schema, or has more than [MaxValues]. The work is bounded: in
// large schemas, more verdicts are [Unknown].
func Compare(older, newer *jsonstream.Document) (*Report, error) {
	a, err := newSide(older)
	if err != nil {
		return nil, fmt.Errorf("the old schema: %w", err)
	}
	b, err := newSide(newer)
	if err != nil {
		return nil, fmt.Errorf("the new schema: %w", err)
	}
	steps := maxSteps
	w := &walk{old: a, new: b, seen: map[visit]bool{}, open: map[[2]part]bool{}, steps: &steps}
	w.schemas(a.root, b.root, &place{old: a.root, new: b.root}, context{})
	r := &Report{Bump: None, Backward: Yes, Forward: Yes, Changes: []Change{}}
	for _, d := range w.differences {
		c := change(d, a, b)
		r.Changes = append(r.Changes, c)
		if !r.Bump.Covers(c.Bump) {
			r.Bump = c.Bump
		}
		r.Backward, r.Forward = worst(r.Backward, c.Backward), worst(r.Forward, c.Forward)
	}
	return r, nil
}

func worst(a, b Verdict) Verdict {
	switch {
	case a == No || b == No:
		return No
	case a == Unknown || b == Unknown:
		return Unknown
	default:
		return Yes
	}
}

// change returns the change for a difference. If compatibility is not proved, it searches for a document that
// disproves it.
func change(d difference, older, newer *side) Change {
	c := Change{Kind: d.kind, Old: d.was.Raw(), New: d.is.Raw(), Backward: Yes, Forward: Yes}
	switch {
	case d.is.Exists():
		c.Pointer = d.is.Pointer()
	case d.was.Exists():
		c.Pointer, c.InOld = d.was.Pointer(), true
	}
	if !d.backward {
		c.Refused = (&sampler{from: older, to: newer}).witness(d)
		c.Backward = verdictOf(c.Refused)
	}
	if !d.forward {
		c.Unread = (&sampler{from: newer, to: older, isForward: true}).witness(d)
		c.Forward = verdictOf(c.Unread)
	}
	if c.Kind == "" {
		c.Kind = kindOf(c.Backward, c.Forward)
	}
	c.Bump = bumpOf(c)
	if c.Kind == MemberRemoved || c.Kind == TypeChanged && c.Bump == Major {
		was := d.was
		if c.Kind == TypeChanged {
			was = d.old
		}
		c.Undeprecated = was.Get("deprecated").Kind() != jsonstream.True
	}
	return c
}

func verdictOf(witness *Witness) Verdict {
	if witness == nil {
		return Unknown
	}
	return No
}

func kindOf(backward, forward Verdict) Kind {
	switch {
	case backward == Yes && forward == Yes:
		return Reworded
	case backward == Yes:
		return Widened
	case forward == Yes:
		return Narrowed
	default:
		return Changed
	}
}

// bumpOf returns the version bump that section 14.3 requires for a change. If the section does not name the
// kind of change, the bump depends on whether valid documents stay valid.
func bumpOf(c Change) Bump {
	switch {
	case c.Kind == MemberRemoved:
		return Major
	case c.Kind == MemberAdded:
		return Minor
	case c.Backward == Yes && c.Forward == Yes:
		return None
	case c.Kind == MemberRequired || c.Kind == TypeChanged:
		return Major
	case c.Backward == Yes:
		return Minor
	default:
		return Major
	}
}
