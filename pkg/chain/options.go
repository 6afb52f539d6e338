package chain

import (
	"slices"

	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
)

// Options configure the checks. The zero value checks everything with the defaults.
type Options struct {
	// Severities overrides the severities of rules, by ID.
	Severities map[string]finding.Severity
	// Strict turns warnings into errors, including warnings from Severities.
	Strict bool
	// MaxVisits is the number of times that an agent may hand a task to the same other agent
	// before it counts as a loop; 0 means [DefaultMaxVisits].
	MaxVisits int
	// Tolerance is the maximum drift of a budget at one boundary, in US dollars.
	Tolerance message.Decimal
	// Agents maps agent IDs to their types, in addition to the type with the same name as the ID.
	Agents map[string][]string
}

// DefaultMaxVisits is the default of [Options].MaxVisits.
const DefaultMaxVisits = 2

// DefaultTolerance returns the default for [Options].Tolerance: a millionth of a US dollar.
func DefaultTolerance() message.Decimal { return message.NewDecimal(1, 6) }

func (o *Options) maxVisits() int {
	if o.MaxVisits > 0 {
		return o.MaxVisits
	}
	return DefaultMaxVisits
}

// typesOf returns the types of an agent. The first is its name in loops.
func (o *Options) typesOf(agent string) []string {
	return append(slices.Clip(o.Agents[agent]), agent)
}

// A Checker collects messages and checks them. It is not safe for concurrent use.
type Checker struct {
	o        Options
	messages []*Message
	unread   struct{ messages, tasks map[string]bool } // by id; see AddUnread
	kept     map[string]string
	parts    []*part
	partIDs  map[uint64]int32 // by the hash of the part

	satisfied map[[2]string]bool // whether a version is in a range; see inRange
	parent    parent             // the parent of the last comparison
	rules     []finding.Rule
	ruleIndex map[string]int
}

// New returns a Checker without messages.
func New(o Options) *Checker {
	c := &Checker{
		o: o, kept: make(map[string]string), partIDs: make(map[uint64]int32), satisfied: make(map[[2]string]bool),
		rules: Rules(), ruleIndex: make(map[string]int),
	}
	c.unread.messages, c.unread.tasks = make(map[string]bool), make(map[string]bool)
	for i, r := range c.rules {
		c.ruleIndex[r.ID] = i
	}
	return c
}

// Add adds a message. The Checker owns it from then on.
func (c *Checker) Add(m *Message) {
	for _, s := range []*string{&m.TaskID, &m.From, &m.FromVer, &m.To, &m.ToVer} {
		*s = c.keep(*s)
	}
	for _, list := range [][]string{m.toTypes, m.toRanges, m.constraints, m.state} {
		for i, s := range list {
			list[i] = c.keep(s)
		}
	}
	for _, list := range [][]subtask{m.completed, m.remaining} {
		for i, s := range list {
			list[i].id = c.keep(s.id)
		}
	}
	m.partIDs = make([]int32, len(m.parts))
	for i, p := range m.parts {
		id, ok := c.partIDs[p.sum]
		if !ok {
			id = int32(len(c.parts))
			c.parts, c.partIDs[p.sum] = append(c.parts, p), id
		}
		m.partIDs[i] = id
	}
	m.parts = nil
	c.messages = append(c.messages, m)
}

// AddUnread records the IDs of a message that could not be read. It is not a node of its task, and
// no finding reports it as missing.
func (c *Checker) AddUnread(taskID, handoffID string) {
	c.unread.tasks[foldID(taskID)] = true
	c.unread.messages[foldID(handoffID)] = true
}

// keep interns a string.
func (c *Checker) keep(s string) string {
	kept, ok := c.kept[s]
	if !ok {
		c.kept[s], kept = s, s
	}
	return kept
}

// maxRangeLength is the maximum length of a version range, in bytes. A longer one is
// hostile.
const maxRangeLength = 256

// inRange reports whether a semantic version satisfies a range, by the rules of receivers.
// Invalid versions and ranges are left to package validate.
func (c *Checker) inRange(v, versions string) bool {
	key := [2]string{v, versions}
	in, known := c.satisfied[key]
	if known {
		return in
	}
	in = true
	if len(versions) <= maxRangeLength && len(v) <= maxRangeLength {
		wanted, err := semver.ParseRange(versions)
		parsed, err2 := semver.Parse(v)
		in = err != nil || err2 != nil || wanted.Contains(parsed)
	}
	c.satisfied[key] = in
	return in
}
