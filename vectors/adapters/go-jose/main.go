// Command go-jose is the adapter of the conformance suite for github.com/go-jose/go-jose, which verifies the JWS of
// AgentCards, and github.com/gowebpki/jcs, which makes canonical forms.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"
)

type answer struct {
	ID             string `json:"id"`
	Verdict        string `json:"verdict"`
	Output         string `json:"output,omitempty"`
	Comment        string `json:"comment,omitempty"`
	Implementation string `json:"implementation"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r struct {
			ID, Operation string
			Input         struct {
				Text, Card string
				Keys       json.RawMessage
			}
		}
		a := answer{Verdict: "valid", Implementation: "go-jose 4.1.4 and jcs 1.0.1"}
		err := json.Unmarshal(lines.Bytes(), &r)
		switch {
		case err != nil:
		case r.Operation == "canonicalize":
			var text []byte
			text, err = jcs.Transform([]byte(r.Input.Text))
			a.Output = string(text)
		case r.Operation == "verify-card":
			err = verify(r.Input.Card, r.Input.Keys)
		default:
			a.Verdict = "not_applicable"
		}
		if err != nil {
			a.Verdict, a.Output, a.Comment = "invalid", "", err.Error()
		}
		a.ID = r.ID
		text, _ := json.Marshal(a) // strings only
		fmt.Println(string(text))
	}
}

// verify verifies the signatures of a card over its members as they are: go-jose knows no default values of A2A.
func verify(card string, keys []byte) error {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(keys, &set); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(card), &members); err != nil {
		return err
	}
	var signatures []map[string]any
	if err := json.Unmarshal(members["signatures"], &signatures); err != nil {
		return err
	}
	delete(members, "signatures")
	text, _ := json.Marshal(members) // it was parsed
	payload, err := jcs.Transform(text)
	if err != nil {
		return err
	}
	problem := errors.New("no signature")
	for _, s := range signatures {
		s["payload"] = base64.RawURLEncoding.EncodeToString(payload)
		text, _ := json.Marshal(s)
		jws, err := jose.ParseSigned(string(text), []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256})
		if err != nil {
			problem = err
			continue
		}
		for _, key := range set.Keys {
			if kid := jws.Signatures[0].Protected.KeyID; key.KeyID != kid && key.KeyID != "" {
				problem = fmt.Errorf("no key %s", kid)
			} else if _, problem = jws.Verify(key); problem == nil {
				return nil
			}
		}
	}
	return problem
}
