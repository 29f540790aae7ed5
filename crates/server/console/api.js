// Requests to the server.

/** The place of headers that the server asks for. They are kept until the tab is closed. */
const KEPT = "trident headers";

const headers = () => JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");

/** Sends a header with all requests from now on. */
export function keep(name, value) {
  sessionStorage.setItem(KEPT, JSON.stringify({ ...headers(), [name]: value }));
}

/** An answer that is an error, with the server's own text. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }

  /** The header that the server asks for; `undefined` if it refuses for another reason. */
  get header() {
    if (this.status === 401) return "Authorization";
    return this.status === 403 ? /expecting header '([^']+)'/.exec(this.message)?.[1] : undefined;
  }
}

/** The server's answer as JSON. Throws a `Refusal` if the answer is an error. */
async function ask(path, options) {
  const answer = await fetch(path, { ...options, headers: headers() });
  const text = await answer.text();
  let value;
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    // Answers with NaN or Infinity are not strict JSON: they are shown as they are.
    value = { text };
  }
  if (answer.ok) return value;
  const { error } = value;
  throw new Refusal(answer.status, error?.message ?? error ?? `status ${answer.status}`);
}

const post = (path, body) => ask(path, { method: "POST", body });
const named = (model, version) => `v2/models/${encodeURIComponent(model)}/versions/${encodeURIComponent(version)}`;

/** Whether the console may load and unload models. */
export const rights = () => ask("ui/rights");
/** The server's name and version. */
export const server = () => ask("v2");
/** Models, versions and states. */
export const index = () => post("v2/repository/index");
/** Counters of all models that are ready. */
export const statistics = async () => (await ask("v2/models/stats")).model_stats;
/** The cores, shares of models in them, and requests that wait. */
export const figures = () => ask("ui/live");
/** Names, types and shapes of a model. */
export const metadata = (model, version) => ask(named(model, version));
/** The complete configuration of a model. */
export const config = (model, version) => ask(`${named(model, version)}/config`);
/** Loads or unloads a model. */
export const control = (model, action) => post(`ui/models/${encodeURIComponent(model)}/${action}`);

/** Runs a request, an object or the text of one, and gives the answer with its time in milliseconds. */
export async function infer(model, version, request) {
  const body = typeof request === "string" ? request : JSON.stringify(request);
  const start = performance.now();
  const answer = await post(`${named(model, version)}/infer`, body);
  return { answer, ms: performance.now() - start };
}
