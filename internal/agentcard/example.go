package agentcard

// Example is a card of A2A 1.0 without findings and without signatures.
const Example = `{
  "name": "Contract Risk Agent",
  "description": "Reads contracts, finds risky clauses, and hands the case over to a person where the law is unclear.",
  "supportedInterfaces": [
    {"url": "https://risk.example/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    {"url": "risk.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"}
  ],
  "provider": {"organization": "Example Legal Ltd", "url": "https://legal.example"},
  "version": "2.1.0",
  "documentationUrl": "https://legal.example/docs/risk-agent",
  "capabilities": {
    "streaming": true,
    "pushNotifications": false,
    "extensions": [
      {
        "uri": "https://github.com/eaapl/handoff/extensions/handoff/v1",
        "description": "Takes over the scoring of contracts from other agents",
        "params": {"agentTypes": ["risk-scoring-agent"], "schemaVersions": ">=2.0 <3", "signatureRequired": true, "signatureAlgorithms": ["ed25519"]}
      }
    ]
  },
  "securitySchemes": {
    "login": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://login.example/.well-known/openid-configuration"}}
  },
  "securityRequirements": [{"schemes": {"login": {"list": ["risk.read"]}}}],
  "defaultInputModes": ["application/json", "text/plain"],
  "defaultOutputModes": ["application/json"],
  "skills": [
    {
      "id": "score-clauses",
      "name": "Score clauses",
      "description": "Scores each clause of a contract by its risk.",
      "tags": ["contracts", "risk"],
      "examples": ["Which clauses of this lease are risky?"]
    }
  ]
}
`
