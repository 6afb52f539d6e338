package macp

// A Payload is the payload of a message: a SessionStart, HandoffOffer, HandoffContext,
// HandoffAccept, HandoffDecline or Commitment.
type Payload interface {
	// MessageType returns the message_type for the payload.
	MessageType() string
	write(w *writer)
}

// A SessionStart opens a session and binds its context.
type SessionStart struct {
	Intent               string
	Participants         []string // at least two, all different, with the sender among them
	ModeVersion          string
	ConfigurationVersion string
	PolicyVersion        string      // "" resolves to DefaultPolicy
	TTLMS                int64       // milliseconds, above 0
	ContextID            string      // optional
	Extensions           []Extension // optional; names are unique
	Roots                []Root      // optional
	MaxSuspendMS         int64       // milliseconds; 0 for none
}

// An Extension is a named value of a SessionStart.
type Extension struct {
	Name  string
	Value []byte
}

// A Root is a boundary set by a SessionStart.
type Root struct{ URI, Name string }

// A HandoffOffer offers responsibility to a participant.
type HandoffOffer struct{ HandoffID, TargetParticipant, Scope, Reason string }

// A HandoffContext provides context for an offer.
type HandoffContext struct {
	HandoffID, ContentType string
	Context                []byte // decoded; base64 in JSON
}

// A HandoffAccept accepts an offer.
type HandoffAccept struct {
	HandoffID  string
	AcceptedBy string // "" for the sender
	Reason     string
	Implicit   bool // set only by runtimes
}

// A HandoffDecline declines an offer.
type HandoffDecline struct {
	HandoffID  string
	DeclinedBy string // "" for the sender
	Reason     string
}

// A Commitment ends a session.
type Commitment struct {
	CommitmentID         string
	Action               string
	AuthorityScope       string
	Reason               string
	ModeVersion          string
	PolicyVersion        string // "" or the session's resolved policy_version
	ConfigurationVersion string
	OutcomePositive      bool
	Supersedes           *Supersedes // optional
}

// Supersedes names the commitment of another session that a commitment replaces.
type Supersedes struct{ SessionID, CommitmentHash string }

// MessageType implements Payload.
func (*SessionStart) MessageType() string { return "SessionStart" }

// MessageType implements Payload.
func (*HandoffOffer) MessageType() string { return "HandoffOffer" }

// MessageType implements Payload.
func (*HandoffContext) MessageType() string { return "HandoffContext" }

// MessageType implements Payload.
func (*HandoffAccept) MessageType() string { return "HandoffAccept" }

// MessageType implements Payload.
func (*HandoffDecline) MessageType() string { return "HandoffDecline" }

// MessageType implements Payload.
func (*Commitment) MessageType() string { return "Commitment" }
