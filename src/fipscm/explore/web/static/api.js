// Requests to the server. A refusal is an Error with the server's own sentence, its status and the facts beside it.

export async function ask(method, path, body, signal) {
  const options = { method, signal };
  if (body !== undefined || method === "POST" || method === "PUT") {
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body ?? {});
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The explorer does not answer: it was stopped, or the connection is gone. Start it again with fipscm explore.");
  }
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  const content = isJson ? await response.json() : await response.text();
  if (!response.ok) {
    const error = new Error(content.message ?? `The explorer answered ${response.status}.`);
    throw Object.assign(error, { status: response.status, facts: content });
  }
  return content;
}

// Runs at most one at a time; of the calls that come meanwhile only the last one counts.
export function latest(work) {
  let running = false;
  let waiting = false;
  return async function run() {
    if (running) {
      waiting = true;
      return;
    }
    running = true;
    try {
      do {
        waiting = false;
        await work();
      } while (waiting);
    } finally {
      running = false;
    }
  };
}
