/**
 * The page of the explorer: it shows what kubeproof/explore/explorer.py answers, and asks on. It knows no rule.
 *
 * It asks a server, or a worker of the browser. The fragment of the address has the whole run.
 */

import { drawnPanel, el, hues, statesOf, view } from "./viewer.mjs";

/** @typedef {{release: string, fix: boolean}} Side */
/** @typedef {{system: string, release: string, fix: boolean, scope: string, actions: string[], against: Side | null}} Run */
/** @typedef {{text: string, sentence: string, place: [string, string][], changes: [string, string][], broken: [string, string][],
 *   there?: string, error?: string}} Told */
/** @typedef {{drawn: import("./viewer.mjs").Run, differs: {at: number, why: string} | null, facts: [string, string, string][][],
 *   only_there: string[], violated: Record<string, string>}} Against */
/** @typedef {{run: Run, at: number, about: import("./viewer.mjs").System, drawn: import("./viewer.mjs").Run, told: Told[],
 *   violated: Record<string, string>, enabled: Told[], notes: string[], against: Against | null}} Seen */
/** @typedef {{summary: string, scope: string, bounds: string[], releases: string[], properties: string[], bugs: Record<string, string>}} Choice */

// --- The address. Pure functions.

/** The fragment that names a run and one of its states. @param {Run} run @param {number} at */
export function addressOf(run, at) {
  const found = new URLSearchParams({ system: run.system, release: run.release, scope: run.scope });
  if (run.fix) found.set("fix", "1");
  if (run.against) {
    found.set("against", run.against.release);
    if (run.against.fix) found.set("against-fix", "1");
  }
  for (const action of run.actions) found.append("do", action);
  if (at !== run.actions.length) found.set("at", String(at));
  return `#${found}`;
}

/** The run and the state that a fragment names; null if it names none. @param {string} hash */
export function runOf(hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const system = found.get("system");
  if (!system) return null;
  const actions = found.getAll("do");
  const against = found.get("against");
  const at = found.get("at");
  /** @type {Run} */
  const run = {
    system, release: found.get("release") ?? "", fix: found.has("fix"), scope: found.get("scope") ?? "", actions,
    against: against === null ? null : { release: against, fix: found.has("against-fix") },
  };
  return { run, at: at !== null && /^\d{1,5}$/.test(at) ? Number(at) : actions.length };
}

// --- Who answers

/** Asks the server that sent the page. @param {string} question @param {object} asked */
async function askServer(question, asked) {
  let reply;
  try {
    reply = await fetch(`ask/${question}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(asked) });
  } catch {
    return { error: "no answer: `kubeproof explore` has ended. The address of this page has the whole run: start it again with this address." };
  }
  try {
    return await reply.json();
  } catch {
    return { error: `no answer: ${reply.status} ${reply.statusText}` };
  }
}

/** A worker of the browser that answers. @param {(text: string) => void} tell */
function workerThatAnswers(tell) {
  const worker = new Worker("worker.mjs", { type: "module" });
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  let number = 0;
  const lost = (/** @type {string} */ why) => {
    for (const answered of waiting.values()) answered({ error: why });
    waiting.clear();
  };
  worker.onmessage = ({ data }) => {
    if (data.said !== undefined) tell(data.said);
    else {
      waiting.get(data.number)?.(data.answer);
      waiting.delete(data.number);
    }
  };
  worker.onerror = (event) => lost(`the models do not run in this browser: ${event.message}`);
  return (/** @type {string} */ question, /** @type {object} */ asked) => new Promise((answered) => {
    number += 1;
    waiting.set(number, answered);
    worker.postMessage({ number, question, asked: JSON.stringify(asked) });
  });
}

// --- The page

const DIGITS = "1234567890";

/** @param {HTMLElement} main @param {Record<string, Choice>} choices */
function explore(main, choices) {
  const problem = /** @type {HTMLElement} */ (document.getElementById("problem"));
  const withFix = main.dataset.way === "fix";
  /** @type {Seen | null} */
  let seen = null;
  /** @type {((step: number) => void)} */
  let go = () => {};
  let asking = 0;

  const status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  const tell = (/** @type {string} */ text) => { status.textContent = text; };
  const ask = main.dataset.way === "worker" ? workerThatAnswers(tell) : askServer;

  // --- What is asked about
  const option = (/** @type {string} */ value, text = value) => el("option", { value }, text);
  const system = el("select", { id: "system", onchange: () => offer("") }, ...Object.keys(choices).map((name) => option(name)));
  const release = el("select", { id: "release" });
  const against = el("select", { id: "against" });
  const scope = el("input", { id: "scope", spellcheck: "false", autocomplete: "off" });
  const box = (/** @type {string} */ id) => el("input", { type: "checkbox", id });
  const [fix, againstFix] = [box("fix"), box("against-fix")];
  const bug = el("select", { id: "bug", onchange: () => { if (bug.value) location.hash = bug.value; } });
  const summary = el("p", { class: "soft" });
  const label = (/** @type {string} */ text, /** @type {any} */ field) => el("label", {}, `${text} `, field);
  const settings = el("form", { class: "settings", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); begin(); } },
    label("System", system), label("Release", release), withFix ? label("with the fix", fix) : null,
    label("Against", against), withFix ? label("with the fix", againstFix) : null, el("label", { class: "wide" }, "Scope ", scope),
    el("button", { type: "submit" }, "Start"), label("or the run of", bug));

  let offered = "";

  /** The releases, the scope and the properties of a system. @param {string} bounds */
  function offer(bounds) {
    offered = system.value;
    const choice = choices[system.value];
    release.replaceChildren(...choice.releases.map((each) => option(each)));
    against.replaceChildren(option("", "nothing"), ...choice.releases.map((each) => option(each)));
    bug.replaceChildren(option("", "a bug"), ...Object.entries(choice.bugs).map(([id, link]) => option(link, id)));
    property.replaceChildren(...choice.properties.map((each) => option(each)));
    scope.value = bounds || choice.scope;
    scope.title = `Bounds: ${choice.bounds.join(", ")}`;
    summary.textContent = `${choice.summary[0].toUpperCase()}${choice.summary.slice(1)}.`;
  }

  /** A release that is no upstream one is among them too. @param {any} select @param {string} value */
  function choose(select, value) {
    if (![...select.options].some((/** @type {any} */ each) => each.value === value)) select.append(option(value));
    select.value = value;
  }

  function begin() {
    const other = against.value || (againstFix.checked ? release.value : "");
    /** @type {Run} */
    const run = {
      system: system.value, release: release.value, fix: fix.checked, scope: scope.value, actions: [],
      against: other ? { release: other, fix: againstFix.checked } : null,
    };
    void answer("start", { run });
  }

  // --- What can be done
  const heading = el("h2", { tabindex: "-1" }, "Enabled actions");
  const wrong = el("div", { class: "wrong" });
  const actions = el("ol", { class: "acts" });
  // Of many actions a reader looks for one.
  const only = el("input", { type: "search", id: "only", "aria-label": "only actions with this text", placeholder: "only actions with …",
    autocomplete: "off", oninput: () => showActions() });
  /** @type {Told[]} */
  let offers = [];
  const elsewhere = el("p", { class: "soft" });
  const act = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ does) =>
    el("button", { type: "button", title, onclick: does }, text);
  const undo = act("Undo (u)", "without the last action", () => seen && void answer("undo", { run: seen.run }));
  const again = act("From the start", "without any action", () => seen && void answer("start", { run: seen.run }));

  const property = el("select", { id: "property", "aria-label": "property" });
  const [fact, value] = [el("input", { id: "fact", list: "facts", "aria-label": "fact", placeholder: "fact", autocomplete: "off" }),
    el("input", { id: "value", "aria-label": "value", placeholder: "value", autocomplete: "off" })];
  const facts = el("datalist", { id: "facts" });
  const seconds = el("input", { id: "seconds", type: "number", min: 1, max: 60, value: 10 });
  const search = (/** @type {string} */ of, /** @type {any[]} */ ...fields) =>
    el("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); look(of === "property"); } }, ...fields);
  const searches = el("details", { class: "search" }, el("summary", {}, "The shortest run from here"),
    search("property", "to a violation of ", property, el("button", { type: "submit" }, "Search")),
    search("fact", "to a state where ", fact, " = ", value, facts, el("button", { type: "submit" }, "Search")),
    el("label", {}, "at most ", seconds, " seconds"));

  /** @param {boolean} ofProperty */
  function look(ofProperty) {
    if (!seen) return;
    const goal = ofProperty ? { property: property.value, fact: "", value: "" } : { property: "", fact: fact.value, value: value.value };
    tell("Searching …");
    void answer("search", { run: seen.run, at: seen.at, goal: { ...goal, seconds: Number(seconds.value) || 10 } });
  }

  const saves = el("details", { class: "save" }, el("summary", {}, "Keep this run"),
    act("Copy the link", "the address of this page has the whole run", copyLink),
    act("ITF trace", "for trace viewers", () => void save("itf")),
    act("pytest", "a test that takes the actions again", () => void save("pytest")),
    act("Page", "an HTML page of this run", () => void savePage()));

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      tell("The link is copied.");
    } catch {
      tell("The address of this page is the link.");
    }
  }

  /** @param {string} name @param {string} text */
  function download(name, text) {
    const link = el("a", { href: URL.createObjectURL(new Blob([text])), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    tell(`${name} is saved.`);
  }

  /** @param {string} as */
  async function save(as) {
    if (!seen) return;
    const found = /** @type {any} */ (await ask("save", { run: seen.run, at: seen.at, as }));
    if (found.error) refuse(found.error);
    else download(found.name, found.text);
  }

  async function savePage() {
    if (!seen) return;
    const [script, style] = await Promise.all(["viewer.mjs", "viewer.css"].map(async (file) => (await fetch(file)).text()));
    const data = (/** @type {any} */ each) => JSON.stringify(each).replaceAll("<", "\\u003c");
    const title = `${seen.run.system} ${seen.run.release}${seen.run.fix ? " with a fix" : ""}`;
    const page = document.implementation.createHTMLDocument(title);
    const head = el("style");
    head.textContent = `${document.querySelector("style")?.textContent}\n${style}`;
    const json = (/** @type {any} */ each, /** @type {object} */ attributes = {}) => {
      const made = el("script", { type: "application/json", ...attributes });
      made.textContent = data(each);
      return made;
    };
    const module = el("script", { type: "module" });
    module.textContent = script;
    page.head.append(el("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }), head);
    page.body.append(el("h1", {}, title), el("p", {}, `Scope ${seen.run.scope}.`),
      el("details", { class: "bug", open: true }, el("summary", {}, "The run"),
        el("div", { class: "viewer", hidden: true, "data-bug": "RUN", "data-system": seen.run.system }, json(seen.drawn)), listOf(seen.told)),
      json({ [seen.run.system]: seen.about }, { id: "drawn-systems" }), module);
    download(`${seen.run.system}-${seen.run.release}.html`, `<!doctype html>\n<meta charset="utf-8">\n${page.documentElement.outerHTML}\n`);
  }

  // --- What is shown

  /** @param {[string, string][]} place */
  const placed = (place) => el("span", { class: "soft" }, ...place.map(([text, link]) =>
    link ? el("a", { href: link, rel: "noreferrer", target: "_blank" }, text) : text));
  const code = (/** @type {string} */ text) => text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
  /** @param {Told} told */
  const toldParts = (told) => [
    ...told.changes.map(([subject, text]) => el("span", { class: "mono" }, el("b", {}, subject), ` ${text}`)),
    ...told.broken.map(([name, why]) => el("span", { class: "damage" }, `${name}: ${why}`)),
  ];
  /** @param {Told[]} told */
  const listOf = (told) => el("ol", { class: "trace" }, ...told.map((each) =>
    el("li", {}, ...code(each.sentence), " ", placed(each.place), ...toldParts(each))));

  /** @param {string} text */
  function refuse(text) {
    problem.replaceChildren(...code(text));
    problem.hidden = false;
    tell("");
  }

  /** Asks, and shows the answer as the run of the page. @param {string} question @param {object} asked */
  async function answer(question, asked, { push = true } = {}) {
    asking += 1;
    const mine = asking;
    main.setAttribute("aria-busy", "true");
    const found = /** @type {any} */ (await ask(question, asked));
    if (mine !== asking) return;
    main.removeAttribute("aria-busy");
    if (found.error) {
      refuse(found.error);
      return;
    }
    problem.hidden = true;
    if (found.run) {
      seen = /** @type {Seen} */ (found);
      if (push) history.pushState(null, "", addressOf(seen.run, seen.at));
      showRun();
    }
    tell(found.said ?? said());
  }

  function said() {
    if (!seen) return "";
    const bad = Object.keys(seen.violated);
    const here = `After ${seen.at} of ${seen.run.actions.length} actions: ${seen.enabled.length} enabled`;
    return bad.length ? `${here}. Violated: ${bad.join(", ")}.` : `${here}, nothing violated.`;
  }

  /** What the state `at` enables. */
  function showActions() {
    if (!seen) return;
    wrong.replaceChildren(...Object.entries(seen.violated).map(([name, why]) => el("p", { class: "damage" }, `✗ ${name}: ${why}`)));
    only.hidden = seen.enabled.length <= DIGITS.length;
    const wanted = only.hidden ? "" : only.value.toLowerCase();
    offers = seen.enabled.filter((each) => `${each.text} ${each.sentence}`.toLowerCase().includes(wanted));
    actions.replaceChildren(...offers.map((each, at) => {
      const key = at < DIGITS.length ? el("kbd", {}, DIGITS[at]) : null;
      if (each.error !== undefined) return el("li", {}, el("b", {}, each.text), el("span", { class: "damage" }, each.error));
      const bad = each.broken.length > 0;
      return el("li", { class: bad ? "bad" : "" },
        el("button", { type: "button", class: "act", onclick: () => void take(at) }, key, el("span", {}, ...code(each.sentence))),
        el("span", { class: "mono name" }, each.text), " ", placed(each.place), ...toldParts(each),
        each.there ? el("span", { class: "there" }, `≠ ${each.there}`) : null);
    }));
    if (!seen.enabled.length) actions.append(el("li", { class: "soft" }, "No action is enabled: the run ends here."));
    const there = seen.against?.only_there ?? [];
    elsewhere.textContent = there.length ? `Enabled only there: ${there.join(", ")}.` : "";
    undo.disabled = again.disabled = seen.run.actions.length === 0;
    heading.textContent = seen.at < seen.run.actions.length ? `Enabled after action ${seen.at}: another run begins here` : "Enabled actions";
  }

  const right = el("div", { class: "right" });
  const beside = el("section", { class: "beside" });

  function showRun() {
    if (!seen) return;
    const { run, about, drawn, told, notes } = seen;
    if (offered !== run.system) {
      system.value = run.system;
      offer(run.scope);
    }
    scope.value = run.scope;
    bug.value = "";
    choose(release, run.release);
    choose(against, run.against?.release ?? "");
    fix.checked = run.fix;
    againstFix.checked = run.against?.fix ?? false;
    const list = listOf(told);
    const root = el("div", { class: "viewer" });
    const inside = right.contains(document.activeElement);
    right.replaceChildren(root, beside, el("details", { open: true }, el("summary", {}, "The run in words"), list),
      ...notes.map((text) => el("p", { class: "soft" }, text)));
    go = view(root, about, { run: drawn, name: run.system, list: [...list.children], address: (step) => addressOf(run, step), heard: stepTo });
    [...list.children].forEach((item, at) => item.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      if (!(event.target instanceof HTMLAnchorElement)) go(at + 1);
    }));
    if (inside) root.focus();
    const subjects = [...drawn.facts.flatMap(Object.keys), ...seen.enabled.flatMap((each) => (each.changes ?? []).map(([subject]) => subject))];
    facts.replaceChildren(...[...new Set(subjects)].map((subject) => option(subject)));
    const { at } = seen;
    only.value = "";
    quietly = true;
    go(at);
    quietly = false;
    showActions();
    showBeside();
    main.hidden = false;
    document.title = `${run.system} ${run.release}: kubeproof explore`;
  }

  /** Whether the viewer is told where to go, and has not to tell. */
  let quietly = false;

  /** Until the answer is there no action is taken: those that are shown are of another state. @param {number} step */
  async function stepTo(step) {
    if (quietly || !seen || step === seen.at) return;
    asking += 1;
    const mine = asking;
    seen.at = step;
    showBeside();
    main.setAttribute("aria-busy", "true");
    // Who draws the slider along asks for its last place only.
    await new Promise((passed) => { setTimeout(passed, 60); });
    if (mine !== asking) return;
    const found = /** @type {any} */ (await ask("look", { run: seen.run, at: step }));
    if (mine !== asking) return;
    main.removeAttribute("aria-busy");
    if (found.error) {
      refuse(found.error);
      return;
    }
    seen = /** @type {Seen} */ (found);
    showActions();
    showBeside();
    tell(said());
  }

  /** The same actions on the other side. */
  function showBeside() {
    beside.hidden = !seen?.against;
    if (!seen?.against) return;
    const { against: other, run, at, about } = seen;
    const states = statesOf(other.drawn);
    const step = Math.min(at, states.length - 1);
    const name = `${run.against?.release}${run.against?.fix ? " with the fix" : ""}`;
    const hue = hues(states);
    const differing = other.facts[at] ?? [];
    const row = (/** @type {string[]} */ cells, /** @type {string} */ of) => el("tr", {}, ...cells.map((cell) => el(of, {}, cell || "nothing")));
    beside.replaceChildren(el("h3", {}, `The same actions in ${name}`),
      el("p", {}, other.differs === null ? "No difference so far." : `They differ: ${other.differs.why}.`,
        at > step ? ` Shown is the state after action ${step}, the last that both take.` : ""),
      ...Object.entries(other.violated).map(([property, why]) => el("p", { class: "damage" }, `✗ there ${property}: ${why}`)),
      differing.length ? el("div", { class: "scroll" }, el("table", {}, row(["fact", "here", "there"], "th"), ...differing.map((each) => row(each, "td")))) : "",
      el("div", { class: "picture viewer" }, ...about.panels.map((panel) => drawnPanel(panel, states, step, hue)).filter((each) => each !== null)));
  }

  // --- What the reader does

  /** @param {number} number */
  async function take(number) {
    const action = offers[number];
    if (!seen || !action || action.error !== undefined || main.hasAttribute("aria-busy")) return;
    const byButton = actions.contains(document.activeElement);
    await answer("take", { run: seen.run, at: seen.at, action: action.text });
    if (byButton) heading.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || !seen) return;
    if (target.closest("input, select, textarea, [contenteditable]")) return;
    const last = seen.run.actions.length;
    const to = { ArrowLeft: seen.at - 1, ArrowRight: seen.at + 1, Home: 0, End: last }[event.key];
    if (to !== undefined && !target.closest("summary, .seq")) go(to);
    else if (event.key.length === 1 && DIGITS.includes(event.key)) void take(DIGITS.indexOf(event.key));
    else if (event.key === "u" || event.key === "Backspace") undo.click();
    else return;
    event.preventDefault();
  });

  function follow() {
    const asked = runOf(location.hash);
    if (!asked) {
      system.value = Object.keys(choices)[0];
      offer("");
      begin();
    } else if (!seen || addressOf(seen.run, seen.at) !== location.hash) {
      void answer("look", asked, { push: false });
    }
  }
  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);

  main.append(settings, summary, el("div", { class: "sides" },
    el("div", { class: "left" }, status, wrong, el("div", { class: "bar" }, undo, again), heading,
      el("p", { class: "keys" }, "Keys: 1 to 9 and 0 take an action, u takes one back, ← → go through the run."), only, actions, elsewhere, searches, saves),
    right));
  offer("");
  problem.hidden = true;
  main.hidden = false;
  follow();
}

if (typeof document !== "undefined") {
  const main = document.getElementById("explorer");
  if (main) explore(main, JSON.parse(document.getElementById("choices")?.textContent ?? "{}"));
}
