// What the viewer draws, without a page: `node --test`. test_viewer.py runs it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chipsOf, columnsOf, fitting, hues, itemsOf, labelOf, next, statesOf, stepOf, whereItBreaks } from "../../../kubeproof/report/web/viewer.mjs";

const run = (facts, more = {}) => ({
  lanes: [], actions: facts.slice(1).map(() => ({ text: "", by: 0, to: [] })), facts, drawn: facts.map(() => ({})), properties: [], loop: null, ...more,
});
const panel = (more) => ({ kind: "Columns", title: "", subjects: [], whole: false, cursor: "", order: "", turn: "", ...more });

test("differences add up to states", () => {
  const states = statesOf(run([{ a: "1", b: ["x"] }, { a: "2" }, { b: null }]));
  assert.deepEqual(states.map((each) => each.facts), [{ a: "1", b: ["x"] }, { a: "2", b: ["x"] }, { a: "2" }]);
});

test("an address names a bug and a step, or neither", () => {
  assert.deepEqual(stepOf("#NODETREE-CURSOR/7"), { bug: "NODETREE-CURSOR", step: 7 });
  for (const hash of ["", "#scheduling", "#X/-1", '#X"]/1', "#X/1/2"]) assert.equal(stepOf(hash), null);
});

test("a run breaks where its property is violated first", () => {
  assert.equal(whereItBreaks(run([{}, {}, {}], { properties: [[0, "-hv", {}]] })), 2);
  assert.equal(whereItBreaks(run([{}, {}, {}], { properties: [[0, "hvv", {}]] })), 1);
  assert.equal(whereItBreaks(run([{}, {}, {}], { properties: [[0, "hh-", {}]] })), -1);
});

test("a lasso goes round, another run ends", () => {
  const lasso = run([{}, {}, {}, {}], { loop: 1 });
  assert.deepEqual([0, 1, 2, 3].map((step) => next(lasso, step)), [1, 2, 3, 2]);
  assert.equal(next(run([{}, {}]), 1), 1);
  assert.equal(next(run([{}, {}], { loop: 1 }), 1), 1);
});

test("patterns", () => {
  assert.equal(labelOf("queue: activeQ", "queue: activeQ"), "activeQ");
  assert.equal(labelOf("queue: nominated to *", "queue: nominated to n1"), "n1");
  assert.equal(labelOf("cache: *#*", "cache: p1#1"), "p1#1");
  assert.equal(labelOf("cache: *#*", "cache: nodes"), null);
  assert.equal(labelOf("a.c", "abc"), null);
  assert.deepEqual(fitting(["b*", "a"], { a: "", b1: "", b2: "" }), [["b1", "1"], ["b2", "2"], ["a", "a"]]);
});

test("a text in brackets is a list", () => {
  assert.deepEqual(itemsOf("[n3, n1, n3]"), ["n3", "n1", "n3"]);
  assert.deepEqual([itemsOf("[]"), itemsOf(""), itemsOf(undefined), itemsOf("up")], [[], [], [], ["up"]]);
});

test("what is new and what is gone is marked; what has changed is not gone", () => {
  const marks = (items, before) => chipsOf(items, before).map(({ name, more, mark }) => [name, more, mark].join("|"));
  assert.deepEqual(marks(["p1", "p3"], ["p1", "p2"]), ["p1||", "p3||new", "p2||gone"]);
  assert.deepEqual(marks(["p1 (2 attempts)"], ["p1 (1 attempt)"]), ["p1|2 attempts|new"]);
  assert.deepEqual(marks(["n3", "n1", "n3"], ["n3"]), ["n3||", "n1||new", "n3||new"]);
  assert.deepEqual(marks(["the PATCH of p (U), of n1 (call 1)"], []), ["the PATCH of p (U), of n1|call 1|new"]);
  assert.deepEqual(marks(["p1 (held back (by a plugin))", "f(x) done"], []), ["p1|held back (by a plugin)|new", "f(x) done||new"]);
});

test("columns have an order, and a cursor each", () => {
  const states = statesOf(run([
    { zones: ["z2", "z1"], "nodes of z1": ["n1"], "nodes of z2": [], "last of z1": "1", "last of z2": "0" },
    { "nodes of z2": ["n2"] },
  ]));
  const columns = columnsOf(panel({ subjects: ["nodes of *"], whole: true, order: "zones", cursor: "last of *" }), states, 1);
  assert.deepEqual(columns.map(({ label, cursor, changed }) => [label, cursor, changed]), [["z2", 0, true], ["z1", 1, false]]);
});

test("a column that is always empty is left out, unless the panel is whole", () => {
  const states = statesOf(run([{ a: [], b: [] }, { a: ["x"] }]));
  const labels = (whole) => columnsOf(panel({ subjects: ["a", "b"], whole }), states, 0).map(({ label }) => label);
  assert.deepEqual([labels(false), labels(true)], [["a"], ["a", "b"]]);
});

test("a chip stands where its fact says, and what stands nowhere comes last", () => {
  const states = statesOf(run([
    { nodes: ["n1", "n2 (cordoned)"], "pod p1": ["pending"], "pod p2": ["on n2", "terminating"] },
    { "pod p1": ["on n1"] },
  ]));
  const places = { kind: "Places", title: "", of: "nodes", chips: "pod *", by: "on ", note: "" };
  const told = (step) => columnsOf(places, states, step).map(({ label, note, chips }) => [label, note, chips.map((chip) => [chip.name, chip.more, chip.mark].join("|"))]);
  assert.deepEqual(told(0), [["n1", "", []], ["n2", "(cordoned)", ["pod p2|terminating|"]], ["on no node", "", ["pod p1|pending|"]]]);
  assert.deepEqual(told(1)[0], ["n1", "", ["pod p1||new"]]);
  assert.deepEqual(told(1)[2], ["on no node", "", ["pod p1|pending|gone"]]);
});

test("a pod has one colour", () => {
  const hue = hues(statesOf(run([{ a: ["p1#1", "p2#1"] }])));
  assert.equal(hue("p1#1 (assumed)"), hue("has p1#2"));
  assert.notEqual(hue("p1"), hue("p2"));
  assert.equal(hue("shared pool"), null);
});
