// The SDK of A2A for JavaScript: signatures of AgentCards.
import { verifyAgentCardSignature } from "@a2a-js/sdk";
import * as jose from "jose";
import { attempt, refused, serve, version } from "../serve.mjs";

console.debug = () => {}; // the SDK writes the reasons of refused signatures to standard output

serve(`@a2a-js/sdk ${version(import.meta.url, "@a2a-js/sdk")}`, {
  "verify-card": async ({ card, keys }) => {
    let value;
    try {
      value = JSON.parse(card);
    } catch (error) {
      return refused(error, "syntax");
    }
    const verify = verifyAgentCardSignature(async (kid) => {
      const key = keys.keys.find((key) => key.kid === kid) ?? keys.keys.find((key) => !key.kid);
      if (!key) throw new Error(`unknown key ${kid}`);
      return jose.importJWK(key, key.alg);
    });
    const { verdict, comment } = await attempt(async () => void (await verify(value)) ?? "");
    return { verdict, comment };
  },
});
