package agentcard

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// with returns a fragment of a payload between the defaults of the REQUIRED fields.
func with(members map[string]string) string {
	defaults := []string{"capabilities", "", "defaultInputModes", "[]", "defaultOutputModes", "[]", "description", `""`, "documentationUrl", "", "iconUrl", "",
		"name", `""`, "provider", "", "securityRequirements", "", "securitySchemes", "", "skills", "[]", "supportedInterfaces", "[]", "version", `""`, "x", ""}
	var parts []string
	for i := 0; i < len(defaults); i += 2 {
		value := defaults[i+1]
		if set, ok := members[defaults[i]]; ok {
			value = set
		}
		if value != "" {
			parts = append(parts, `"`+defaults[i]+`":`+value)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestPayload(t *testing.T) {
	tests := []struct {
		name, card, want string
	}{
		// The example of section 8.4.1. It is a fragment; REQUIRED fields are always present.
		{"the example of section 8.4.1", `{"name": "Example Agent", "description": "", "capabilities": {"streaming": false, "pushNotifications": false, "extensions": []}, "skills": []}`,
			with(map[string]string{"capabilities": `{"pushNotifications":false,"streaming":false}`, "name": `"Example Agent"`})},
		{"signatures are not in it, null and empty are absent", `{"signatures": [1e400], "provider": null, "name": null, "securitySchemes": {}, "securityRequirements": []}`, with(nil)},
		{"optional fields as they were set", `{"iconUrl": "", "documentationUrl": "", "capabilities": {"extendedAgentCard": false, "streaming": null}}`,
			with(map[string]string{"iconUrl": `""`, "documentationUrl": `""`, "capabilities": `{"extendedAgentCard":false}`})},
		{"messages have no default", `{"provider": {}, "capabilities": {}, "securitySchemes": {"a": {"mtlsSecurityScheme": {"description": ""}}, "b": {}}}`,
			with(map[string]string{"provider": `{"organization":"","url":""}`, "capabilities": "{}", "securitySchemes": `{"a":{"mtlsSecurityScheme":{}},"b":{}}`})},
		{"fields without either", `{"supportedInterfaces": [{"tenant": "", "url": "u"}], "capabilities": {"extensions": [{"uri": "", "required": false, "description": ""}, {"required": true}]}}`,
			with(map[string]string{"supportedInterfaces": `[{"protocolBinding":"","protocolVersion":"","url":"u"}]`, "capabilities": `{"extensions":[{},{"required":true}]}`})},
		{"a requirement without scopes", `{"securityRequirements": [{"schemes": {"a": {"list": []}, "b": {"list": ["x", ""]}}}, {"schemes": {}}, {}]}`,
			with(map[string]string{"securityRequirements": `[{"schemes":{"a":{},"b":{"list":["x",""]}}},{},{}]`})},
		{"scopes, which may be empty", `{"securitySchemes": {"o": {"oauth2SecurityScheme": {"oauth2MetadataUrl": "", "flows": {"clientCredentials": {"tokenUrl": "t", "refreshUrl": "", "scopes": {}}}}},
			"p": {"oauth2SecurityScheme": {"flows": {"implicit": {"scopes": {}}}}}, "q": {"oauth2SecurityScheme": {"flows": {"authorizationCode": {"pkceRequired": false, "scopes": {"a": ""}}}}}}}`,
			with(map[string]string{"securitySchemes": `{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{},"tokenUrl":"t"}}}},"p":{"oauth2SecurityScheme":{"flows":{"implicit":{}}}},` +
				`"q":{"oauth2SecurityScheme":{"flows":{"authorizationCode":{"authorizationUrl":"","scopes":{"a":""},"tokenUrl":""}}}}}`})},
		{"a struct as it is", `{"capabilities": {"extensions": [{"params": {"b": null, "a": [], "c": {}, "d": "", "e": 1.50, "f": -0}}, {"params": {}}]}}`,
			with(map[string]string{"capabilities": `{"extensions":[{"params":{"a":[],"b":null,"c":{},"d":"","e":1.5,"f":0}},{"params":{}}]}`})},
		{"other members as they are", `{"x": {"b": "", "a": [null, {}]}}`, with(map[string]string{"x": `{"a":[null,{}],"b":""}`})},
		{"values of other types as they are", `{"name": [], "skills": "", "provider": false, "securitySchemes": {"a": null}}`,
			with(map[string]string{"name": "[]", "skills": `""`, "provider": "false", "securitySchemes": `{"a":null}`})},
		{"names written with escapes", `{"\u0073ignatures": [], "n\u0061me": "\u00e9\u20ac", "icon\u0055rl": ""}`, with(map[string]string{"name": `"é€"`, "iconUrl": `""`})},
		// RFC 8785, section 3.2.3: by UTF-16 code units.
		{"order of names", `{"x": {"€": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\u0080": 6, "ö": 7}}`,
			with(map[string]string{"x": `{"\r":2,"1":4,"` + "\u0080" + `":6,"ö":7,"€":1,"😀":5,"` + "\ufb33" + `":3}`})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Payload(parse(t, tt.card).Root())
			if err != nil || string(got) != tt.want {
				t.Errorf("got %v\n%s, want\n%s", err, got, tt.want)
			}
		})
	}
}

func TestPayloadErrors(t *testing.T) {
	number := (*jsonstream.NumberError)(nil)
	if _, err := Payload(parse(t, `{"capabilities": {"extensions": [{"params": {"a": 9007199254740993}}]}}`).Root()); !errors.As(err, &number) || number.Pointer != "/capabilities/extensions/0/params/a" || number.Column != 51 {
		t.Errorf("got %v %+v", err, number)
	}
	for _, text := range []string{`[]`, `null`, `"x"`, `1`} {
		if _, err := Payload(parse(t, text).Root()); err != ErrNotObject {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if _, err := Payload(parse(t, `{"x":"`+strings.Repeat("x", MaxBytes)+`"}`).Root()); err != ErrTooLarge {
		t.Errorf("got %v", err)
	}
}
