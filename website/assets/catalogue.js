// The filters of the catalogue. What is chosen stands in the address, so that a link shows the same bugs.
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll("#catalogue > li")];
  const said = form.querySelector("output");
  const lists = [...form.querySelectorAll("select")].map((each) => each.name);

  const numbers = (text) => text.split(".").slice(1).map(Number);
  const atMost = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] <= b[1]);

  /** Whether a release between `first` and `last` is one of `asked`: [minor] stands for all its patch releases. */
  function overlaps(span, asked) {
    const [first, last] = span.split("-").map(numbers);
    const [low, high] = asked.length === 1 ? [[asked[0], 0], [asked[0], Infinity]] : [asked, asked];
    return atMost(first, high) && atMost(low, last);
  }

  function show() {
    const chosen = Object.fromEntries(new FormData(form));
    const words = chosen.words.toLowerCase().split(/\s+/).filter(Boolean).map((each) => each.replace(/^#/, ""));
    const release = chosen.release.trim().replace(/^v/, "");
    const isRelease = /^1\.\d{1,3}(\.\d{1,3})?$/.test(release);
    let left = 0;
    for (const item of items) {
      const data = item.dataset;
      const fits = words.every((word) => data.words.includes(word))
        && (!isRelease || data.spans.split(" ").filter(Boolean).some((span) => overlaps(span, numbers(release))))
        && lists.every((name) => !chosen[name] || data[name].split("|").includes(chosen[name]))
        && (!chosen.seen || "seen" in data) && (!chosen.today || "today" in data);
      item.hidden = !fits;
      left += fits ? 1 : 0;
    }
    const wrong = release && !isRelease ? ` '${release}' is not a release: expected one such as 1.36 or 1.18.4.` : "";
    said.textContent = `${left} of ${items.length} bugs.${wrong}`;
    const asked = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)).toString();
    try {
      history.replaceState(null, "", asked ? `#${asked}` : location.pathname + location.search);
    } catch { /* a page from disk may not write its address in every browser */ }
  }

  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const each of form.elements) {
      if (each.type === "checkbox") each.checked = asked.has(each.name);
      else if (each.name) each.value = asked.get(each.name) ?? "";
    }
    show();
  }

  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  addEventListener("hashchange", follow);
  follow();
})();
