// Signs and verifies AgentCards with the SDK for JavaScript: one answer, a line of JSON, for each
// line of JSON on standard input.
//
//   {"do": "sign", "card": {…}, "key": {JWK}, "header": {"alg": …, "kid": …, "typ": …}}  → {"card": {…}}
//   {"do": "verify", "card": {…}, "keys": {KID: {JWK}}}                                  → {"holds": true}
//   {"do": "find", "header": {"alg": …, "kid": …}, "keys": {KID: {JWK}}}                 → {"holds": true}, if jose finds the key in the set
//   {"do": "payload", "card": {…}}                                                       → {"payload": "…"}
//
// With "typed": true the card is read into the SDK's own type first, as its client and server do.
// What fails is answered by {"error": "…"}.
import readline from "node:readline";
import { AgentCard, canonicalizeAgentCard, generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk";
import * as jose from "jose";

console.debug = () => {}; // where the SDK says why a signature does not hold, on standard output

async function answer(request) {
  const card = request.typed ? AgentCard.fromJSON(request.card) : request.card;
  switch (request.do) {
    case "sign": {
      const key = await jose.importJWK(request.key, request.header.alg);
      const signed = await generateAgentCardSignature(key, request.header, request.unprotected)(card);
      return { card: request.typed ? AgentCard.toJSON(signed) : signed };
    }
    case "verify": {
      const verify = verifyAgentCardSignature(async (kid) => {
        if (!request.keys[kid]) throw new Error("unknown key");
        return jose.importJWK(request.keys[kid], request.keys[kid].alg);
      });
      try {
        await verify(card);
        return { holds: true };
      } catch (error) {
        return { holds: false, error: String(error) };
      }
    }
    case "find":
      try {
        await jose.createLocalJWKSet({ keys: Object.values(request.keys) })(request.header, {});
        return { holds: true };
      } catch (error) {
        return { holds: false, error: error.code };
      }
    case "payload":
      return { payload: canonicalizeAgentCard(card) };
    default:
      throw new Error("do: unknown");
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let result;
  try {
    result = await answer(JSON.parse(line));
  } catch (error) {
    result = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(result) + "\n");
}
