package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A property is a member of the arguments or of the result of a tool.
type property struct {
	name        string
	schema      string // members of its schema except the description, as JSON
	description string // for a model
	required    bool
}

func (p property) must() property { p.required = true; return p }

func text(name, description string) property {
	return property{name: name, schema: `"type":"string"`, description: description}
}

func boolean(name, description string) property {
	return property{name: name, schema: `"type":"boolean"`, description: description}
}

// count returns a number with a minimum.
func count(name string, low int, description string) property {
	return property{name: name, schema: fmt.Sprintf(`"type":"integer","minimum":%d,"maximum":%d`, low, int64(1)<<53-1), description: description}
}

func choice[S ~string](name string, values []S, description string) property {
	return property{name: name, schema: `"type":"string","enum":` + list(values), description: description}
}

func texts(name, description string) property {
	return property{name: name, schema: `"type":"array","items":{"type":"string"}`, description: description}
}

func choices[S ~string](name string, values []S, description string) property {
	return property{name: name, schema: `"type":"array","items":{"type":"string","enum":` + list(values) + `}`, description: description}
}

// objects returns an array of objects with these members.
func objects(name, description string, of ...property) property {
	return property{name: name, schema: `"type":"array","items":` + string(object(of...)), description: description}
}

// nested returns an object with these members.
func nested(name, description string, of ...property) property {
	schema := string(object(of...))
	return property{name: name, schema: schema[1 : len(schema)-1], description: description}
}

// document returns a JSON value that is used as written.
func document(name, description string) property {
	return property{name: name, schema: `"type":["object","array"]`, description: description}
}

func list[S ~string](values []S) string {
	text, _ := json.Marshal(values) // cannot fail for strings
	return string(text)
}

// object returns the schema of an object with these members and no others.
func object(of ...property) json.RawMessage {
	var members []string
	var required []string
	for _, p := range of {
		description, _ := encode(p.description)
		members = append(members, fmt.Sprintf(`%q:{%s,"description":%s}`, p.name, p.schema, description))
		if p.required {
			required = append(required, p.name)
		}
	}
	b := `{"type":"object","properties":{` + strings.Join(members, ",") + `}`
	if required != nil {
		b += `,"required":` + list(required)
	}
	return json.RawMessage(b + `,"additionalProperties":false}`)
}
