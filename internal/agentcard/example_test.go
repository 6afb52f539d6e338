package agentcard_test

import (
	"fmt"
	"log"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

func parse(text []byte) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	return doc
}

// Example checks and signs a card, and verifies it with the public key.
func Example() {
	card := parse([]byte(agentcard.Example))
	for _, f := range agentcard.Check(card) {
		fmt.Println(f.Rule, f.PlacedMessage())
	}
	key := sign.NewP256Key("card-2026")
	text, err := agentcard.Sign(card, key, agentcard.SignOptions{KeySet: "https://risk.example/jwks.json"})
	if err != nil {
		log.Fatal(err)
	}
	public, _ := key.Public()
	verifier, err := agentcard.NewVerifier([]sign.Key{public})
	if err != nil {
		log.Fatal(err)
	}
	signatures, err := verifier.Verify(parse(text))
	if err != nil {
		log.Fatal(err) // a *sign.Error, with the reason
	}
	for _, s := range signatures {
		fmt.Println(s.Holds(), s.Algorithm, s.KeyID, s.KeySet)
	}
	// Output: true ES256 card-2026 https://risk.example/jwks.json
}

// ExamplePayload shows that default values are left out, except in REQUIRED fields.
func ExamplePayload() {
	card := parse([]byte(`{
	  "name": "Example Agent", "description": "",
	  "capabilities": {"streaming": false, "pushNotifications": false, "extensions": []},
	  "skills": [], "version": "1", "supportedInterfaces": [], "defaultInputModes": [], "defaultOutputModes": []
	}`))
	payload, err := agentcard.Payload(card.Root())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(payload))
	// Output: {"capabilities":{"pushNotifications":false,"streaming":false},"defaultInputModes":[],"defaultOutputModes":[],"description":"","name":"Example Agent","skills":[],"supportedInterfaces":[],"version":"1"}
}
