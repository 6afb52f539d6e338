# Makes messages of the AI SDK 5 to 7 from messages of version 4: UIMessages, also without parts, or CoreMessages.
# Messages of the role data, annotations and step numbers are left out.
def output: {type: (if type == "string" then "text" else "json" end), value: .};
def tool: {type: "tool-\(.toolName)", toolCallId, input: .args,
  state: {"partial-call": "input-streaming", call: "input-available", result: "output-available"}[.state]}
  + if .state == "result" then {output: .result} else {} end;
def part:
  if .type == "tool-invocation" then .toolInvocation | tool
  elif .type == "reasoning" and .details then .details[] | {type: "reasoning", text: (.text // ""),
    providerMetadata: {anthropic: ({signature, redactedData: .data} | with_entries(select(.value)))}}
  elif .type == "source" then .source | {type: "source-url", sourceId: .id, url, title}
  elif .type == "file" and .mimeType then {type: "file", mediaType: .mimeType, url: "data:\(.mimeType);base64,\(.data)"}
  else . end;
def model:
  if .type == "tool-call" then .input = .args | del(.args)
  elif .type == "tool-result" then .output = (.result | output) | del(.result, .isError, .experimental_content)
  elif .type == "redacted-reasoning" then {type: "reasoning", text: "", providerOptions: {anthropic: {redactedData: .data}}}
  elif .signature then .providerOptions.anthropic.signature = .signature | del(.signature)
  elif .mimeType then .mediaType = .mimeType | del(.mimeType)
  else . end;
any(.[]; .parts or .toolInvocations or .experimental_attachments) as $ui |
map(select(.role != "data") |
  if $ui then {id, role, parts: [
    (if .parts then .parts[] | part
     else (.reasoning // empty | {type: "reasoning", text: .}), (.toolInvocations // [] | (.[] | tool), (select(. != []) | {type: "step-start"})),
       (.content | select(. != "") | {type: "text", text: .}) end),
    (.experimental_attachments // [] | .[] | {type: "file", mediaType: .contentType, filename: .name, url})]}
  elif .content | type == "array" then .content |= map(model)
  else . end)
