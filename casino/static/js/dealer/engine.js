// The house's rules on the tablet, as they are: Python (Pyodide) with the house's own files, in a thread of its own, so that
// entering cards never waits for it. Takes {id, name, given, language}, given as JSON, and answers {id, text} or {id, error}.

import { loadPyodide } from "../../static/pyodide/pyodide.mjs";

const HOME = "/static/pyodide/";
const ALONE = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" }, packages: {} }; // no package beside it
const BEGIN = `
import sys
sys.path.insert(0, "/house")
from tables.rounds.on_tablet import answer
answer`;

async function rules() {
  const answer = await fetch(`/dealer/tablet/rules.zip${location.search}`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.arrayBuffer();
}

async function begin() {
  const [python, packed] = await Promise.all([loadPyodide({ indexURL: HOME, packageBaseUrl: HOME, lockFileContents: ALONE }), rules()]);
  python.unpackArchive(packed, "zip", { extractDir: "/house" });
  return python.runPython(BEGIN);
}

const begun = begin();
self.addEventListener("message", async ({ data: { id, name, given, language } }) => {
  try {
    const answer = await begun;
    self.postMessage({ id, text: name ? answer(name, given, language) : "null" });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
});
