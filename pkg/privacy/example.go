package privacy

import _ "embed"

// ExamplePolicy is a policy, in YAML, that has everything a policy can say.
//
//go:embed example.yaml
var ExamplePolicy string
