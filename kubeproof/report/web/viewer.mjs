/**
 * The viewer of a run: lanes, the state after each action as a picture, the facts and the properties.
 *
 * It draws data of kubeproof/report/drawn.py and knows no rule of any system. It stands in a page beside the list of the
 * actions, and takes their sentences from there. Without it the list is all there is.
 */

/** @typedef {string | string[]} Fact */
/** @typedef {Record<string, Fact>} Facts */
/** @typedef {{facts: Facts, drawn: Facts}} State */
/** @typedef {{text: string, by: number, to: number[]}} Action */
/** @typedef {{kind: string, title: string, subjects: string[], whole: boolean, cursor: string, order: string, turn: string,
 *   of: string, chips: string, by: string, note: string, cells: string}} Panel */
/** @typedef {{lanes: string[], actions: Action[], facts: Record<string, Fact | null>[], drawn: Record<string, Fact | null>[],
 *   properties: [number, string, Record<string, string>][], loop: number | null}} Run */
/** @typedef {{panels: Panel[], properties: [string, string][]}} System */
/** @typedef {{run: Run, name: string, list: ArrayLike<Element>, address: (step: number) => string, heard?: (step: number) => void}} Shown
 *   A run, its name, the list that tells its actions, the address of a step, and who hears which step is shown. */
/** @typedef {{name: string, more: string, mark: "" | "new" | "gone"}} Chip */
/** @typedef {{label: string, note: string, chips: Chip[], cursor: number, cursorName: string, changed: boolean}} Column */

// --- What is drawn, without a page. Pure functions.

/** The state after each action, the initial one first. @param {Run} run @returns {State[]} */
export function statesOf(run) {
  const after = (/** @type {Facts} */ old, /** @type {Record<string, Fact | null>} */ now) => {
    const found = { ...old };
    for (const [subject, fact] of Object.entries(now)) {
      if (fact === null) delete found[subject];
      else found[subject] = fact;
    }
    return found;
  };
  /** @type {State[]} */
  const states = [];
  run.facts.forEach((facts, k) => {
    const old = states[k - 1] ?? { facts: {}, drawn: {} };
    states.push({ facts: after(old.facts, facts), drawn: after(old.drawn, run.drawn[k]) });
  });
  return states;
}

/** The bug and the step of an address such as "#NODETREE-CURSOR/7"; null for another one. @param {string} hash */
export function stepOf(hash) {
  const found = /^#([A-Za-z0-9-]+)\/(\d{1,6})$/.exec(hash);
  return found ? { bug: found[1], step: Number(found[2]) } : null;
}

/** The first state in which the first property of the run is violated; -1 if none says so. @param {Run} run */
export function whereItBreaks(run) {
  return run.properties.length ? run.properties[0][1].indexOf("v") : -1;
}

/** The state after `step` on the way forward: a lasso goes round. @param {Run} run @param {number} step */
export function next(run, step) {
  if (step < run.actions.length) return step + 1;
  return run.loop !== null && run.loop < run.actions.length ? run.loop + 1 : step;
}

/** What follows ": " in a subject, or all of it, without the marks of code. @param {string} subject */
export function nameOf(subject) {
  const at = subject.indexOf(": ");
  return subject.slice(at < 0 ? 0 : at + 2).replaceAll("`", "");
}

/** What a pattern makes of a subject: its label; null if it does not fit. @param {string} pattern @param {string} subject */
export function labelOf(pattern, subject) {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === subject ? nameOf(subject) : null;
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(subject) ? subject.slice(star) : null;
}

/** The subjects that fit, with their labels, in the order of the patterns. @param {string[]} patterns @param {Facts} facts */
export function fitting(patterns, facts) {
  /** @type {[string, string][]} */
  const found = [];
  for (const pattern of patterns) {
    for (const subject of Object.keys(facts)) {
      const label = labelOf(pattern, subject);
      if (label !== null) found.push([subject, label]);
    }
  }
  return found;
}

/** The items of a fact: a text in brackets is a list too. @param {Fact | undefined} fact @returns {string[]} */
export function itemsOf(fact) {
  if (fact === undefined || fact === "" || fact === "[]") return [];
  if (typeof fact !== "string") return fact;
  return fact.startsWith("[") && fact.endsWith("]") ? fact.slice(1, -1).split(", ") : [fact];
}

/** What `items` are, beside what they were: new ones are marked, and those that are gone come last.
 * @param {string[]} items @param {string[]} before @returns {Chip[]} */
export function chipsOf(items, before) {
  const left = [...before];
  const split = (/** @type {string} */ item) => {
    const found = /^(.*?) \(((?:[^()]|\([^()]*\))*)\)$/.exec(item);
    return found ? [found[1], found[2]] : [item, ""];
  };
  const chip = (/** @type {string} */ item, /** @type {Chip["mark"]} */ mark) => {
    const [name, more] = split(item);
    return { name, more, mark };
  };
  const chips = items.map((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return chip(item, at >= 0 ? "" : "new");
  });
  // What is still there under its name has changed, and is not gone.
  const names = chips.map((each) => each.name);
  return [...chips, ...left.filter((item) => !names.includes(split(item)[0])).map((item) => chip(item, "gone"))];
}

/** The columns of a panel after a step. @param {Panel} panel @param {State[]} states @param {number} step @returns {Column[]} */
export function columnsOf(panel, states, step) {
  const [now, old] = [step, Math.max(step - 1, 0)].map((k) => ({ ...states[k].facts, ...states[k].drawn }));
  if (panel.kind === "Places") return placesOf(panel, now, old);
  const patterns = panel.kind === "Grid" ? [panel.cells] : panel.subjects;
  /** @type {Map<string, string>} */
  const every = new Map();
  /** @type {Set<string>} */
  const used = new Set();
  for (const state of states) {
    for (const [subject, label] of fitting(patterns, { ...state.facts, ...state.drawn })) {
      every.set(subject, label);
      if (itemsOf(state.facts[subject] ?? state.drawn[subject]).length) used.add(subject);
    }
  }
  // The same columns in all states, so that nothing jumps: those of cards, which are many, only while they are there.
  const shown = [...every].filter(([subject]) =>
    panel.kind === "Cards" ? subject in now || subject in old : panel.whole || used.has(subject));
  if (panel.order) {
    const order = itemsOf(now[panel.order]);
    const place = (/** @type {string} */ label) => (order.includes(label) ? order.indexOf(label) : order.length);
    shown.sort((one, other) => place(one[1]) - place(other[1]));
  }
  return shown.map(([subject, label]) => {
    const cursor = panel.cursor ? panel.cursor.replace("*", label) : "";
    const chips = chipsOf(itemsOf(now[subject]), itemsOf(old[subject]));
    return {
      label: panel.kind === "Cards" ? subject : label,
      note: panel.kind === "Cards" && !(subject in now) ? "gone" : "",
      chips,
      cursor: cursor && cursor in now ? Number(now[cursor]) : -1,
      cursorName: cursor ? cursor.replace(/^.*: /, "").replace(/ of .*$/, "") : "",
      changed: JSON.stringify(now[subject]) !== JSON.stringify(old[subject]) || (cursor !== "" && now[cursor] !== old[cursor]),
    };
  });
}

/** @param {Panel} panel @param {Facts} now @param {Facts} old @returns {Column[]} */
function placesOf(panel, now, old) {
  const heads = (/** @type {Facts} */ facts) => itemsOf(facts[panel.of]).map((item) => item.split(" ")[0]);
  const placed = (/** @type {Facts} */ facts) => fitting([panel.chips], facts)
    .filter(([subject]) => subject !== panel.of)
    .map(([subject]) => {
      const items = itemsOf(facts[subject]);
      const at = items.find((item) => item.startsWith(panel.by));
      const more = items.filter((item) => item !== at);
      return { at: at ? at.slice(panel.by.length) : "", item: nameOf(subject) + (more.length ? ` (${more.join(", ")})` : "") };
    });
  const [mine, before] = [placed(now), placed(old)];
  const labels = [...new Set([...heads(now), ...heads(old), ...mine.map((each) => each.at), ...before.map((each) => each.at)])];
  labels.sort((one, other) => Number(one === "") - Number(other === "") || one.localeCompare(other));
  return labels.map((label) => {
    const [here, were] = [mine, before].map((each) => each.filter(({ at }) => at === label).map(({ item }) => item));
    const told = (/** @type {Facts} */ facts) => itemsOf(facts[panel.of]).find((item) => item.split(" ")[0] === label) ?? "";
    const room = panel.note ? itemsOf(now[panel.note.replace("*", label)]).join(", ") : "";
    const lines = label === "" ? "" : [told(now) ? told(now).slice(label.length).trim() : "gone", room].filter(Boolean).join("; ");
    return {
      label: label || "on no node", note: lines, chips: chipsOf(here, were), cursor: -1, cursorName: "",
      changed: told(now) !== told(old) || JSON.stringify(here) !== JSON.stringify(were),
    };
  });
}

/** A colour for each name, the same in all pictures of a run. @param {State[]} states @returns {(text: string) => number | null} */
export function hues(states) {
  const names = new Set();
  for (const state of states) {
    for (const text of JSON.stringify(state).matchAll(/\b[a-z]\d+\b/g)) names.add(text[0]);
  }
  const order = [...names].sort((one, other) => one[0].localeCompare(other[0]) || Number(one.slice(1)) - Number(other.slice(1)));
  return (text) => {
    const found = /\b[a-z]\d+\b/.exec(text);
    return found ? (210 + order.filter((name) => name[0] === found[0][0]).indexOf(found[0]) * 137) % 360 : null;
  };
}

// --- The page

const WORDS = /** @type {Record<string, string>} */ ({ v: "✗ violated", h: "✓ holds", "-": "– says nothing" });
const SVG = "http://www.w3.org/2000/svg";
const [LANE, ROW, LEFT, HEAD] = [94, 34, 30, 38];
const LETTER = 6.7; // the width of one in a label, in pixels

/** @param {string} name @param {Record<string, any>} [attributes] @param {...(Node | string | null)} children @returns {any} */
export function el(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "line", "path", "circle", "text", "rect", "tspan"].includes(name) || attributes.svg;
  const made = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "svg" || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Copy buttons for all commands. @param {ParentNode} root */
function addCopyButtons(root) {
  for (const code of root.querySelectorAll("code.command")) {
    const button = el("button", { type: "button", class: "copy", "aria-label": `copy: ${code.textContent}`, onclick: async () => {
      try {
        await navigator.clipboard.writeText(code.textContent ?? "");
        button.textContent = "copied";
      } catch {
        getSelection()?.selectAllChildren(code);
        button.textContent = document.execCommand("copy") ? "copied" : "selected";
      }
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    } }, "copy");
    code.after(button);
  }
}

/** @param {Column} column @param {(text: string) => number | null} hue @param {boolean} card */
function drawnColumn(column, hue, card) {
  const chip = (/** @type {Chip} */ each) => {
    const h = card ? null : hue(each.name);
    const said = each.mark ? el("span", { class: "off" }, each.mark === "new" ? " (new)" : " (gone)") : null;
    return el("li", { class: `chip ${each.mark}`, style: h === null ? null : `--h:${h}` }, each.name, said,
      each.more ? el("small", {}, each.more) : null);
  };
  const items = column.chips.map(chip);
  if (column.cursor >= 0) {
    const there = column.chips.filter((each) => each.mark !== "gone").length;
    const end = column.cursor >= there ? ", behind the last" : "";
    items.splice(Math.min(column.cursor, there), 0, el("li", { class: "cursor" }, `${column.cursorName} ${column.cursor}${end}`));
  }
  const h = card ? hue(column.label) : null;
  return el("div", { class: `col${column.changed ? " changed" : ""}`, style: h === null ? null : `--h:${h}` }, el("b", {}, column.label),
    column.note ? el("i", {}, column.note) : null, el("ul", {}, ...items));
}

/** @param {Panel} panel @param {State[]} states @param {number} step @param {(text: string) => number | null} hue */
export function drawnPanel(panel, states, step, hue) {
  const columns = columnsOf(panel, states, step);
  if (!columns.length) return null;
  if (panel.kind === "Grid") return el("section", {}, el("h4", {}, panel.title), drawnGrid(columns, hue));
  const drawn = columns.map((column) => drawnColumn(column, hue, panel.kind === "Cards"));
  if (panel.turn) {
    const turn = Number(states[step].facts[panel.turn]);
    const name = panel.turn.replace(/^.*: /, "");
    const cursor = el("span", { class: "cursor" }, `${name} ${turn}${turn >= drawn.length ? ", behind the last" : ""}`);
    if (turn < drawn.length) drawn[turn].prepend(cursor);
    else drawn.push(cursor);
  }
  return el("section", {}, el("h4", {}, panel.title),
    el("div", { class: panel.kind === "Cards" ? "cols cards" : "cols" }, ...drawn));
}

/** Cells by group; the first item of each is the group, the second the owner. @param {Column[]} columns
 * @param {(text: string) => number | null} hue */
function drawnGrid(columns, hue) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const column of columns) {
    const [group, owner, ...more] = column.chips.filter((chip) => chip.mark !== "gone").map((chip) => chip.name);
    if (group === undefined) continue;
    const h = hue(owner);
    const cell = el("div", { class: `slot${column.changed ? " new" : ""}`, style: h === null ? null : `--h:${h}` },
      el("b", {}, column.label), owner, ...more.map((text) => el("small", {}, text)),
      column.changed ? el("span", { class: "off" }, " (changed)") : null);
    groups.set(group, [...(groups.get(group) ?? []), cell]);
  }
  return el("div", { class: "grid" }, ...[...groups].map(([group, cells]) =>
    el("div", { class: "core" }, el("span", {}, group), el("div", {}, ...cells))));
}

/** The sequence diagram. @param {Shown} shown @param {Set<number>} hidden @param {(step: number) => void} go */
function sequence({ run, address }, hidden, go) {
  const lanes = run.lanes.map((_, lane) => lane).filter((lane) => !hidden.has(lane));
  const x = (/** @type {number} */ lane) => LEFT + 14 + lanes.indexOf(lane) * LANE + LANE / 2;
  const ends = run.actions.map(({ by, text }) => (hidden.has(by) ? 0 : x(by) + 12 + text.length * LETTER));
  const width = Math.max(LEFT + 14 + lanes.length * LANE, ...ends) + (run.loop === null ? 0 : 26);
  const height = run.actions.length * ROW + 10;
  const heads = el("svg", { class: "heads", width, height: HEAD, "aria-hidden": "true" });
  for (const lane of lanes) {
    const words = run.lanes[lane].split(" ");
    const cut = run.lanes[lane].length > 13 ? Math.ceil(words.length / 2) : words.length;
    [words.slice(0, cut), words.slice(cut)].forEach((part, line) => {
      if (part.length) heads.append(el("text", { x: x(lane), y: (cut < words.length ? 15 : 22) + line * 15, "text-anchor": "middle" }, part.join(" ")));
    });
  }
  const body = el("svg", { width, height, role: "img", "aria-label": `Sequence diagram of ${run.actions.length} actions; the list below says the same.` });
  for (const lane of lanes) body.append(el("line", { class: "line", x1: x(lane), x2: x(lane), y1: 0, y2: height }));
  const breaks = whereItBreaks(run);
  const rows = run.actions.map((action, at) => {
    const y = at * ROW + 22;
    const row = el("g", { class: `row${at + 1 >= breaks && breaks > 0 ? " bad" : ""}` },
      el("rect", { class: "back", x: 0, y: y - 20, width, height: ROW - 2 }), el("text", { x: LEFT - 4, y: y + 3, "text-anchor": "end" }, String(at + 1)));
    const shown = !hidden.has(action.by);
    const from = shown ? x(action.by) : LEFT + 4;
    for (const lane of shown ? action.to.filter((each) => !hidden.has(each)) : []) {
      const to = x(lane);
      const side = Math.sign(to - from);
      row.append(el("line", { class: "arrow", x1: from, x2: to - side * 7, y1: y + 4, y2: y + 4 }),
        el("path", { class: "tip", d: `M${to - side} ${y + 4}l${-side * 8} -4v8z` }));
    }
    if (shown) row.append(el("circle", { class: "dot", cx: from, cy: y + 4, r: 4.5 }));
    row.append(el("text", { class: "label", x: from + 7, y: y - 3 }, action.text));
    const link = el("a", { svg: true, href: address(at + 1), tabindex: "-1", onclick: (/** @type {Event} */ event) => { event.preventDefault(); go(at + 1); } }, row);
    body.append(link);
    return row;
  });
  if (run.loop !== null && run.loop < run.actions.length) {
    const [top, bottom, right] = [run.loop * ROW + 26, (run.actions.length - 1) * ROW + 26, width - 8];
    body.append(el("path", { class: "loop", d: `M${right - 14} ${bottom + 6}H${right}V${top - 6}H${right - 8}` }),
      el("path", { class: "looptip", d: `M${right - 16} ${top - 6}l8 -4v8z` }));
  }
  return { heads, body, rows, at: x };
}

/** Draws a run in `root`. What is returned goes to a step. @param {HTMLElement} root @param {System} system @param {Shown} shown */
export function view(root, system, shown) {
  const { run, list } = shown;
  const states = statesOf(run);
  const hue = hues(states);
  const last = run.actions.length;
  const breaks = whereItBreaks(run);
  /** @type {Set<number>} */
  const hidden = new Set();
  let step = 0;
  let figure = sequence(shown, hidden, go);
  let timer = 0;

  const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => number} */ where, disabled = false) =>
    el("button", { type: "button", "aria-label": label, title: label, disabled, onclick: () => go(where()) }, text);
  const [first, back, on, end] = [button("|◀", "first state", () => 0), button("◀", "one action back", () => step - 1),
    button("▶", "one action on", () => next(run, step)), button("▶|", "last state", () => last)];
  const play = el("button", { type: "button", onclick: () => goOn(!timer) }, "play");
  const slider = el("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "action", oninput: () => go(Number(slider.value)) });
  const count = el("output", {});
  const said = el("div", { class: "said", "aria-live": "polite" });
  const seq = el("div", { class: "seq", tabindex: "0", role: "group", "aria-label": "sequence diagram" });
  const picture = el("div", { class: "picture" });
  const properties = el("ul", { class: "props" });
  const quiet = el("details");
  const facts = el("dl", {});
  const boxes = run.lanes.map((lane, at) => el("label", {}, el("input", { type: "checkbox", checked: true, onchange: (/** @type {any} */ event) => {
    if (event.target.checked) hidden.delete(at);
    else hidden.add(at);
    figure = sequence(shown, hidden, go);
    seq.replaceChildren(figure.heads, figure.body);
    show();
  } }), ` ${lane}`));
  const round = run.loop === null ? "" : run.loop === last ? " Nothing more happens, for ever." : ` From action ${last} the run goes back to action ${run.loop + 1}, for ever.`;

  function show() {
    count.textContent = step === 0 ? `start, ${last} actions` : `action ${step} of ${last}`;
    slider.value = String(step);
    slider.setAttribute("aria-valuetext", count.textContent);
    first.disabled = back.disabled = step === 0;
    end.disabled = step === last;
    on.disabled = next(run, step) === step;
    Array.from(list).forEach((item, at) => {
      item.classList.toggle("now", at + 1 === step);
      if (at + 1 === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    said.replaceChildren(...(step === 0 ? ["The state from which the run begins."] : [...list[step - 1].cloneNode(true).childNodes].filter(
      (node) => !(node instanceof HTMLElement && node.classList.contains("mono")))), step === last ? round : "");
    figure.rows.forEach((row, at) => {
      row.classList.toggle("now", at + 1 === step);
      row.classList.toggle("later", at + 1 > step);
    });
    const y = Math.max(step - 1, 0) * ROW;
    if (y < seq.scrollTop || y + ROW + HEAD > seq.scrollTop + seq.clientHeight) seq.scrollTop = y - seq.clientHeight / 2;
    const x = step === 0 ? 0 : figure.at(run.actions[step - 1].by);
    if (x < seq.scrollLeft || x + LANE > seq.scrollLeft + seq.clientWidth) seq.scrollLeft = x - seq.clientWidth / 2;
    picture.replaceChildren(...system.panels.map((panel) => drawnPanel(panel, states, step, hue)).filter((each) => each !== null));
    const told = run.properties.map(([number, letters, why]) => {
      const [name, sentence] = system.properties[number];
      return el("li", { class: letters[step] }, el("b", {}, WORDS[letters[step]]), name, why[step] ? `: ${why[step]}` : "",
        el("span", { class: "soft" }, ` ${sentence}`));
    });
    const silent = told.filter((each) => each.classList.contains("-"));
    properties.replaceChildren(...told.filter((each) => !silent.includes(each)));
    quiet.hidden = silent.length === 0;
    quiet.replaceChildren(el("summary", {}, `${silent.length} say nothing of this state`), el("ul", { class: "props" }, ...silent));
    const [now, old] = [states[step].facts, states[Math.max(step - 1, 0)].facts];
    facts.replaceChildren(...Object.keys({ ...now, ...old }).flatMap((subject) => {
      const fact = now[subject];
      const text = fact === undefined ? "gone" : typeof fact === "string" ? fact : fact.join(fact.some((item) => item.includes(", ")) ? "; " : ", ");
      const changed = JSON.stringify(fact) !== JSON.stringify(old[subject]);
      return text === "" && !changed ? [] : [el("dt", {}, subject), el("dd", { class: changed ? "new" : "" }, text || "nothing")];
    }));
  }

  /** @param {number} to */
  function go(to) {
    step = Math.min(Math.max(to, 0), last);
    try {
      history.replaceState(null, "", shown.address(step));
    } catch { /* a page from disk may not write its address in every browser */ }
    show();
    shown.heard?.(step);
  }

  /** Plays the run to its end, or until it is stopped. @param {boolean} plays */
  function goOn(plays) {
    clearInterval(timer);
    timer = plays ? window.setInterval(() => root.isConnected && next(run, step) !== step ? go(next(run, step)) : goOn(false), 1200) : 0;
    play.textContent = plays ? "pause" : "play";
    if (plays && next(run, step) === step) go(0);
  }

  root.append(
    el("div", { class: "bar" }, first, back, on, end, button("to where it breaks", "to where it breaks", () => breaks, breaks < 0), play, slider, count),
    el("p", { class: "keys" }, "Keys: ← → Home End. The address names the step."),
    said,
    el("div", { class: "two" }, el("div", {}, seq, el("details", { class: "lanes" }, el("summary", {}, "Lanes"), ...boxes)),
      picture, el("div", { class: "judged" }, el("h4", {}, "properties"), properties, quiet)),
    el("details", { open: system.panels.length === 0 }, el("summary", {}, "Facts in words"), facts),
  );
  seq.append(figure.heads, figure.body);
  seq.hidden = last === 0;
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", `run of ${shown.name}, step by step`);
  root.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: step - 1, ArrowRight: next(run, step), Home: 0, End: last }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(to);
  });
  show();
  return go;
}

/** Views are made when their bug is opened, so that a page of many runs is there at once. @param {Document} page */
function begin(page) {
  const systems = JSON.parse(page.getElementById("drawn-systems")?.textContent ?? "{}");
  /** @type {Map<string, (step: number) => void>} */
  const views = new Map();
  const open = (/** @type {HTMLElement} */ root) => {
    const bug = root.dataset.bug ?? "";
    if (!views.has(bug)) {
      root.hidden = false;
      views.set(bug, view(root, systems[root.dataset.system ?? ""], {
        run: JSON.parse(root.querySelector("script")?.textContent ?? ""), name: bug, address: (step) => `#${bug}/${step}`,
        list: root.parentElement?.querySelectorAll("ol.trace > li") ?? [],
      }));
    }
    return views.get(bug);
  };
  for (const details of page.querySelectorAll("details.bug")) {
    const root = /** @type {HTMLElement | null} */ (details.querySelector(".viewer"));
    if (root) details.addEventListener("toggle", () => open(root));
    if (root && details.hasAttribute("open")) open(root);
  }
  // What nobody has to open is there at once.
  for (const root of page.querySelectorAll(".viewer")) if (!root.closest("details.bug")) open(/** @type {HTMLElement} */ (root));
  const follow = () => {
    const to = stepOf(location.hash);
    const root = to && /** @type {HTMLElement | null} */ (page.querySelector(`.viewer[data-bug="${to.bug}"]`));
    if (!to || !root) return;
    root.closest("details")?.setAttribute("open", "");
    open(root)?.(to.step);
    root.scrollIntoView();
    root.focus({ preventScroll: true });
  };
  // The address of a step leads to the view, and without it to the list.
  for (const item of page.querySelectorAll("ol.trace > li[id]")) item.removeAttribute("id");
  addCopyButtons(page);
  addEventListener("hashchange", follow);
  follow();
}

if (typeof document !== "undefined") begin(document);
