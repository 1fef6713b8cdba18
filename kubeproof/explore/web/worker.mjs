/** Answers the page of the explorer without a server: Pyodide runs kubeproof/explore/explorer.py in this worker. */

import { loadPyodide } from "./pyodide/pyodide.mjs";

const BEGIN = `
import json, sys
sys.path.insert(0, "/packages")
from kubeproof.explore.explorer import Explorer

explorer = Explorer()

def answer(question, asked):
    return json.dumps(explorer.answer(question, json.loads(asked)))

answer
`;

async function started() {
  postMessage({ said: "Python is being loaded, some 15 MB …" });
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const packages = await fetch("packages.zip");
  if (!packages.ok) throw new Error(`packages.zip: ${packages.status} ${packages.statusText}`);
  python.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: "/packages" });
  postMessage({ said: "The models are being loaded …" });
  return python.runPython(BEGIN);
}

const answers = started();

onmessage = async ({ data: { number, question, asked } }) => {
  try {
    const answer = await answers;
    postMessage({ number, answer: JSON.parse(answer(question, asked)) });
  } catch (error) {
    const lines = String(error instanceof Error ? error.message : error).trim().split("\n");
    postMessage({ number, answer: { error: `the models do not run in this browser: ${lines[lines.length - 1]}` } });
  }
};
