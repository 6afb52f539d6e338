// A network that keeps what is sent, for oracles of clients.

// takes is a fetch that keeps the bodies of requests in requests and then breaks.
export const takes = (requests) => async (input, init) => {
  const text = init?.body ?? (input instanceof Request ? await input.text() : "");
  requests.push(JSON.parse(text));
  throw new Sent("the request was made");
};

export class Sent extends Error {}

// body runs send, which is to make a request: what fails after that is no matter.
export async function body(requests, send) {
  try {
    await send();
  } catch (error) {
    if (requests.length === 0) throw error;
  }
  return requests[0];
}
