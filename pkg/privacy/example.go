package privacy

import _ "embed"

// ExamplePolicy is a policy, in YAML, that uses every feature of policies.
//
//go:embed example.yaml
var ExamplePolicy string
