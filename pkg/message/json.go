package message

// With these methods, encoding/json writes and reads each type as [New] and [Message.Fields] do: members in
// the order of section 5.2, numbers as written, unknown members kept. json.Marshal itself then escapes <, >
// and & in strings; a json.Encoder with SetEscapeHTML(false) does not. Reading sets the whole value, and is
// as strict as [Parse].

// MarshalJSON implements [json.Marshaler].
func (v Fields) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Fields) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v FromAgent) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *FromAgent) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v ToAgent) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *ToAgent) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v CompletedSubtask) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *CompletedSubtask) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v RemainingSubtask) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *RemainingSubtask) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v ContextItem) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *ContextItem) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v CostTracking) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *CostTracking) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v TokenSpent) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *TokenSpent) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v Turn) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Turn) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v ToolCall) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *ToolCall) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

// MarshalJSON implements [json.Marshaler].
func (v Number) MarshalJSON() ([]byte, error) { return marshal(v) }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Number) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }
