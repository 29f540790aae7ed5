// Requests to the server.

/** The server's answer as JSON. Throws an error with the server's own text. */
async function ask(path, options) {
  const answer = await fetch(path, options);
  const text = await answer.text();
  let value;
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    // Answers with NaN or Infinity are not strict JSON: they are shown as they are.
    value = { text };
  }
  if (!answer.ok) throw new Error(value.error ?? `status ${answer.status}`);
  return value;
}

const post = (path, body) => ask(path, { method: "POST", body: JSON.stringify(body ?? {}) });
const named = (model, version) => `v2/models/${encodeURIComponent(model)}/versions/${encodeURIComponent(version)}`;

/** Whether the console may load and unload models. */
export const rights = () => ask("ui/rights");
/** The server's name and version. */
export const server = () => ask("v2");
/** Models, versions and states. */
export const index = () => post("v2/repository/index");
/** Counters of all models that are ready. */
export const statistics = async () => (await ask("v2/models/stats")).model_stats;
/** Names, types and shapes of a model. */
export const metadata = (model, version) => ask(named(model, version));
/** The complete configuration of a model. */
export const config = (model, version) => ask(`${named(model, version)}/config`);
/** Loads or unloads a model. */
export const control = (model, action) => post(`ui/models/${encodeURIComponent(model)}/${action}`);

/** Runs a request and gives the answer with its time in milliseconds. */
export async function infer(model, version, request) {
  const start = performance.now();
  const answer = await post(`${named(model, version)}/infer`, request);
  return { answer, ms: performance.now() - start };
}
