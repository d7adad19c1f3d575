"use strict";
// The list of a page, its filters and the open entry; keys, printing and what is copied. An index with the figures is in
// the page; texts are in blocks, compressed, and are read when the browser is idle or an entry of them is opened. An entry
// is made of pieces of our templates with texts between them, which are escaped here. Filters, order and the open entry
// are in the address.
(() => {
  const at = (id) => document.getElementById(id);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const kept = (key, value) => {
    try {
      if (value !== undefined) localStorage.setItem(key, value);
      return localStorage.getItem(key);
    } catch { return null; }
  };

  // What every page has: the list of keys, lines to copy, folds that print.
  const keys = at("keys");
  const single = () => kept("single-keys") !== "off";
  const press = new Map();
  const showKeys = () => { if (!keys.open) keys.showModal(); };
  // The server's pages have a list of keys of their own.
  if (keys) press.set("?", showKeys);
  at("show-keys")?.addEventListener("click", showKeys);
  at("close-keys")?.addEventListener("click", () => keys.close());
  const toggle = at("single-keys");
  if (toggle) {
    toggle.checked = single();
    toggle.addEventListener("change", () => kept("single-keys", toggle.checked ? "on" : "off"));
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".command button");
    if (!button) return;
    navigator.clipboard?.writeText(button.parentElement.querySelector("code").textContent)
      .then(() => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 2000); });
  });
  document.querySelectorAll(".command button").forEach((button) => { button.hidden = false; });
  // A table that is too wide is scrolled by keys too.
  const scrollers = () => {
    for (const [n, each] of document.querySelectorAll(".scroll").entries()) {
      const wide = each.scrollWidth > each.clientWidth;
      for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", `Table ${n + 1}, scrolls sideways`]]) {
        if (wide) each.setAttribute(name, value);
        else each.removeAttribute(name);
      }
    }
  };
  scrollers();
  addEventListener("resize", scrollers);
  document.addEventListener("toggle", scrollers, true);
  const SHORT = 1500;
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details:not([open])")].filter((each) => each.textContent.length < SHORT);
    unfolded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => unfolded.forEach((each) => { each.open = false; }));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const field = event.target.closest("input, select, textarea");
    if (field && event.key !== "Escape") return;
    if (event.target.closest("button, a, summary") && ["Enter", " "].includes(event.key)) return;
    if (!single() && event.key.length === 1) return;
    const act = press.get(event.key);
    if (act && act(event) !== false) event.preventDefault();
  });

  const holder = at("index");
  const section = at("replies");
  if (!holder || !section || !window.DecompressionStream) return;
  const index = JSON.parse(holder.textContent);
  const n = index.name.length;
  const SIZE = index.block;
  const [grid, pane, open, place] = ["grid", "window", "open", "case"].map(at);
  const what = index.what;
  const [main, under] = index.facets;
  const has = (facet, row) => { const of = facet.of[row]; return Array.isArray(of) ? of : [of]; };
  const worded = (facet, row) => has(facet, row).map((value) => facet.values[value]).join(", ");
  const outcome = (row) => worded(main, row);

  // Blocks.
  const blocks = new Map();
  const inflated = async (text) => {
    // A loop takes a quarter of the time that a callback for each letter does.
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };
  // A server sends blocks, and what the judge was sent, by address.
  const fetched = async (address) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(address);
    return response.text();
  };
  const entries = new Array(n);
  const texts = new Array(n);
  const block = (number) => {
    if (!blocks.has(number)) {
      const element = document.querySelector(`script[data-block="${number}"]`);
      const text = element ? Promise.resolve(element.textContent) : fetched(`${holder.dataset.blocks}/${number}`);
      blocks.set(number, text.then(inflated).then(([pieces, rows]) => {
        rows.forEach((row, step) => {
          entries[number * SIZE + step] = [...row, pieces];
          texts[number * SIZE + step] = `${index.name[number * SIZE + step]}\n${row[3].join("\n")}`.toLowerCase();
        });
        element?.remove();
      }));
    }
    return blocks.get(number);
  };
  // One after the other, and between them whatever people do.
  const idle = () => new Promise((next) => { (window.requestIdleCallback || setTimeout)(next, { timeout: 100 }); });
  const all = async () => {
    for (let number = 0; number * SIZE < n; number += 1) { await idle(); await block(number); }
  };
  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;" };
  const escaped = (text) => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter]);
  const markup = (row) => {
    const [, , numbers, values, pieces] = entries[row];
    return numbers.map((piece, step) => pieces[piece] + (step < values.length ? escaped(values[step]) : "")).join("");
  };

  // The address: behind the # in a file, a query on a server.
  const SIGN = holder.dataset.blocks ? "?" : "#";
  const said = () => new URLSearchParams((SIGN === "?" ? location.search : location.hash).slice(1));
  let wanted = said();
  const replaced = (key, value, keeps) => {
    const next = new URLSearchParams(wanted);
    if (!value) next.delete(key);
    else if (keeps && next.get(key)) next.set(key, [...new Set([...next.get(key).split(","), value])].join(","));
    else next.set(key, value);
    return next;
  };
  let later;
  const go = (next, step) => {
    wanted = next;
    clearTimeout(later);
    if (step) history.pushState(null, "", `${SIGN}${wanted}`);
    // A key that is held down would fill the history faster than browsers allow.
    else later = setTimeout(() => history.replaceState(null, "", `${SIGN}${wanted}`), 120);
    return show();
  };

  // Filters and order.
  const OTHER = ["case", "sort", "tab", "q", "page"];
  const criterion = (key) => index.criteria.findIndex((each) => each.id === key);
  const between = (range) => {
    const [low, high] = range.includes("..") ? range.split("..") : [range, range];
    return (level) => level !== null && (low === "" || level >= +low) && (high === "" || level <= +high);
  };
  const test = (key, value) => {
    const values = value.split(",");
    const column = criterion(key);
    if (column >= 0) {
      const ranges = values.map(between);
      return (row) => ranges.some((range) => range(index.levels[column][row]));
    }
    if (key === "total") {
      const ranges = values.map(between);
      return (row) => ranges.some((range) => range(index.total[row]));
    }
    const facet = index.facets.find((each) => each.key === key);
    if (!facet) return null;
    // A value may itself have a comma.
    const numbers = new Set(facet.values.flatMap((each, number) => (each === value || values.includes(each) ? [number] : [])));
    return (row) => has(facet, row).some((number) => numbers.has(number));
  };
  const LAST = { blocked: 1, unscored: 2 };
  const last = main.values.map((value) => LAST[value] || 0);
  const ordered = (rows) => {
    const sort = wanted.get("sort") || index.sort;
    if (!sort) return rows;
    const [key, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
    const column = criterion(key);
    const of = column >= 0 ? index.levels[column] : key === "name" ? index.name : key === "outcome" ? main.of : index.total;
    return rows.sort((one, other) => {
      const rank = (last[main.of[one]] || 0) - (last[main.of[other]] || 0);
      if (rank) return rank;
      const [a, b] = [of[one], of[other]];
      if (a === b) return one - other;
      if (a === null || b === null) return a === null ? 1 : -1;
      return sign * (a < b ? -1 : 1);
    });
  };
  const matching = (filters, words) => {
    const tests = filters.map(([key, text]) => test(key, text)).filter(Boolean);
    const found = [];
    for (let row = 0; row < n; row += 1) {
      if (tests.every((each) => each(row)) && (!words || (texts[row] || "").includes(words))) found.push(row);
    }
    return found;
  };

  // The menus and the heads of the columns.
  const titles = new Map(index.facets.map(({ key, title }) => [key, title]));
  const menu = (key, title, options) => {
    if (options.length < (key === "levels" ? 1 : 2)) return;
    const select = make("select");
    select.dataset.key = key;
    select.setAttribute("aria-label", title);
    // The first option says what the menu is about; chosen, it drops the filter.
    select.append(new Option(title, ""), ...options);
    at("menus").append(select);
  };
  const named = ({ key, title, values }) => menu(key, title, [...values].sort().map((name) => new Option(name, name)));
  index.facets.slice(0, 3).forEach(named);
  menu("levels", "Level", index.criteria.map(({ id, title, levels, best }) => {
    const rising = best === Math.max(...levels);
    const group = make("optgroup");
    group.label = title;
    group.append(...levels.filter((level) => level !== best).map((level) =>
      new Option(`${title} ${level} or ${rising ? "less" : "more"}`, rising ? `${id}=..${level}` : `${id}=${level}..`)));
    titles.set(id, title);
    return group;
  }));
  index.facets.slice(3).forEach(named);
  titles.set("total", index.total_title);
  const HEADS = [["outcome", main.title], ["name", "Name"], ["", "Texts"], ["total", index.total_title]];
  at("heads").append(...[...HEADS, ...index.criteria.map(({ id, title }) => [id, title])].map(([key, title], column) => {
    const head = make("div", column > 3 ? "level" : column === 3 ? "n" : "");
    head.setAttribute("role", "columnheader");
    if (!key || !title) { head.textContent = title; return head; }
    const button = make("button", "", title);
    button.type = "button";
    button.title = `Sort by ${title}`;
    button.dataset.sort = key;
    head.append(button);
    return head;
  }));
  grid.style.setProperty("--mark", `${index.pass}%`);
  if (index.criteria.length) grid.style.setProperty("--criteria", index.criteria.length);
  else grid.classList.add("no-levels");

  // The list.
  let found = [];
  let current = 0;
  let filtered = null;
  const height = () => (matchMedia("(max-width: 640px)").matches ? 86 : 58);
  const cell = (name, ...children) => {
    const element = make("div", name);
    element.setAttribute("role", "gridcell");
    element.append(...children);
    return element;
  };
  const line = (text, words) => {
    const element = make("span", "line");
    element.dir = "auto";
    const start = words ? text.toLowerCase().indexOf(words) : -1;
    if (start < 0) { element.textContent = text; return element; }
    element.append(text.slice(0, start), make("mark", "found", text.slice(start, start + words.length)), text.slice(start + words.length));
    return element;
  };
  // Which criterion a text is the reason of, as the piece before it says.
  const reason = ([, , numbers, , pieces], place) => {
    if (!pieces[numbers[place]].endsWith("<blockquote dir=\"auto\">")) return "";
    const heads = numbers.slice(0, place + 1).map((number) => /<h3>([^<]+?) ?</.exec(pieces[number])).filter(Boolean);
    return heads.length ? `Reason, ${heads.at(-1)[1].toLowerCase()}: ` : "Reason: ";
  };
  const excerpt = (entry, words) => {
    const place = entry[3].findIndex((each) => each.toLowerCase().includes(words));
    if (place < 0) return "";
    const start = entry[3][place].toLowerCase().indexOf(words);
    return `${reason(entry, place)}… ${entry[3][place].slice(Math.max(0, start - 40), start + 90).replace(/\s+/g, " ")} …`;
  };
  const labels = index.facets.find((each) => each.key === "label");
  // How far a total reaches, and the mark that it has to reach.
  const meter = (total) => {
    if (total === null || index.pass === null) return [];
    const element = make("i", total < index.pass ? "meter below" : "meter");
    element.style.setProperty("--total", `${total}%`);
    return [element];
  };
  const drawn = (position) => {
    const row = found[position];
    const words = (wanted.get("q") || "").toLowerCase();
    const [first, reply] = entries[row] || ["…", "…"];
    const element = make("div", "row");
    element.setAttribute("role", "row");
    element.setAttribute("aria-rowindex", position + 2);
    element.style.top = `${position * height()}px`;
    element.dataset.position = position;
    element.whole = Boolean(entries[row]);
    const word = outcome(row);
    const icon = make("i", `icon ${word.split(" ").pop()}`);
    icon.setAttribute("aria-hidden", "true");
    const second = words && entries[row] && ![first, reply].some((text) => text.toLowerCase().includes(words)) ? excerpt(entries[row], words) || reply : reply;
    const total = index.total[row];
    const name = make("code", "", index.name[row]);
    name.title = index.name[row];
    const below = make("small", "", [worded(under, row), labels && has(labels, row).length ? worded(labels, row) : ""].filter(Boolean).join(" · "));
    below.title = below.textContent;
    element.append(
      cell(`outcome ${word.split(" ").pop()}`, icon, make("span", "name", word)),
      cell("id", name, below),
      cell("lines", line(first, words), line(second, words)),
      cell("total n", total === null ? "–" : String(total).replace("-", "−"), ...meter(total)),
      ...index.criteria.map((each, step) => {
        const level = index.levels[step][row];
        const share = level === null ? null : Math.abs(level - each.worst) / Math.abs(each.best - each.worst);
        const shown = cell(`level${share === null ? "" : ` h${Math.min(4, Math.floor(share * 4 + 0.001))}`}`, level === null ? "–" : String(level));
        return shown;
      }));
    return element;
  };
  // Rows that stay are not made again; `painted` says what they were made for.
  let painted = "";
  const paint = () => {
    const tall = height();
    const made = `${tall} ${filtered}`;
    const old = new Map(painted === made ? [...pane.children].map((each) => [+each.dataset.position, each]) : []);
    painted = made;
    pane.style.height = `${found.length * tall}px`;
    const first = Math.max(0, Math.floor(grid.scrollTop / tall) - 8);
    const end = Math.min(found.length, Math.ceil((grid.scrollTop + grid.clientHeight) / tall) + 8);
    const rows = [];
    const held = pane.contains(document.activeElement) ? document.activeElement.dataset.position : null;
    for (let position = first; position < end; position += 1) {
      if (!entries[found[position]]) block(Math.floor(found[position] / SIZE)).then(() => requestAnimationFrame(paint));
      const row = old.get(position)?.whole ? old.get(position) : drawn(position);
      row.tabIndex = position === current ? 0 : -1;
      if (index.name[found[position]] === wanted.get("case")) row.setAttribute("aria-selected", "true");
      else row.removeAttribute("aria-selected");
      rows.push(row);
    }
    if (rows.length === pane.children.length && rows.every((each, step) => each === pane.children[step])) return;
    pane.replaceChildren(...rows);
    if (held !== null) pane.querySelector(`[data-position="${held}"]`)?.focus({ preventScroll: true });
  };

  // The open entry.
  const marked = (element, words) => {
    if (!words) return;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) {
      const start = node.data.toLowerCase().indexOf(words);
      if (start < 0) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, Math.min(node.length, start + words.length));
      range.surroundContents(make("mark", "found"));
    }
  };
  const COLUMNS = ["texts", "verdict-side", "raw-side"];
  let asSent = false;
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  const raws = new Map();
  const sent = (row) => {
    if (!raws.has(row)) raws.set(row, fetched(`${holder.dataset.raw}/${row}`).catch(() => ""));
    return raws.get(row).then(parsed);
  };
  const tabbed = async () => {
    const row = index.name.indexOf(wanted.get("case"));
    const isRaw = wanted.get("tab") === "raw";
    const asks = holder.dataset.raw && outcome(row) !== "blocked";
    if (asks && isRaw && !place.querySelector(".raw-side")) {
      const article = place.firstElementChild;
      const raw = await sent(row) || make("p", "raw-side", "It could not be loaded.");
      if (!article.querySelector(".raw-side")) article.append(raw);
    }
    const raw = asks || place.querySelector(".raw-side");
    open.classList.toggle("at-raw", Boolean(raw) && wanted.get("tab") === "raw");
    at("tabs").hidden = !raw;
    for (const tab of at("tabs").children) tab.setAttribute("aria-pressed", String(tab.dataset.tab === (wanted.get("tab") || "")));
    open.classList.toggle("sent-shown", asSent);
    place.querySelector(".as-sent")?.setAttribute("aria-pressed", String(asSent));
  };
  const opened = async (name, moves) => {
    const turns = Boolean(name) === open.hidden;
    section.classList.toggle("reading", Boolean(name));
    open.hidden = !name;
    // An open entry has the whole page; the list stands in its place when it is left.
    document.body.classList.toggle("at-case", Boolean(name));
    if (turns && name) scrollTo(0, 0);
    else if (turns) section.scrollIntoView();
    if (!name) return;
    const row = index.name.indexOf(name);
    const position = found.indexOf(row);
    at("case-name").textContent = name;
    at("case-name").title = name;
    at("case-place").textContent = "";
    if (row < 0) {
      place.replaceChildren(make("p", "soft", `There is no entry called ${name} here. The filters are as they were.`));
      paint();
      return;
    }
    await block(Math.floor(row / SIZE));
    if (wanted.get("case") !== name) return;
    const column = COLUMNS.find((each) => place.querySelector(`.${each}`)?.contains(document.activeElement));
    const article = parsed(markup(row));
    marked(article, (wanted.get("q") || "").toLowerCase());
    place.replaceChildren(article);
    await tabbed();
    if (wanted.get("case") !== name) return;
    at("case-place").textContent = position < 0 ? "not in the list" : `${position + 1} of ${found.length}`;
    if (position >= 0) {
      current = position;
      const tall = height();
      if (position * tall < grid.scrollTop || (position + 1) * tall > grid.scrollTop + grid.clientHeight) grid.scrollTop = position * tall;
    }
    paint();
    if (moves) at("case-title").focus();
    else if (column) place.querySelector(`.${column}`)?.focus({ preventScroll: true });
  };
  const step = (by, fits) => {
    if (!found.length) return;
    let position = current;
    do position += by; while (fits && position >= 0 && position < found.length && !fits(found[position]));
    if (position < 0 || position >= found.length) return;
    current = position;
    if (wanted.get("case")) go(replaced("case", index.name[found[position]]), false);
    else focus();
  };
  const focus = () => {
    const tall = height();
    if (current * tall < grid.scrollTop) grid.scrollTop = current * tall;
    else if ((current + 1) * tall > grid.scrollTop + grid.clientHeight - 36) grid.scrollTop = (current + 1) * tall - grid.clientHeight + 36;
    paint();
    pane.querySelector(`[data-position="${current}"]`)?.focus({ preventScroll: true });
  };
  const enter = () => { if (found.length) go(replaced("case", index.name[found[current]]), true).then(() => at("case-title")?.focus()); };
  const leave = () => { go(replaced("case", ""), true); focus(); };

  // Everything that the address says.
  let saying;
  const counted = (text) => {
    clearTimeout(saying);
    saying = setTimeout(() => { at("count").textContent = text; }, at("count").textContent ? 300 : 0);
  };
  const inWords = (filters, words) => [
    ...filters.map(([key, text]) => `${titles.get(key) || key} ${text.replaceAll(",", " or ")}`), ...(words ? [`“${words}”`] : []),
  ].join(", ");
  const show = async (moves) => {
    const words = (wanted.get("q") || "").toLowerCase();
    if (words && texts.includes(undefined)) { counted("Reading texts …"); await all(); }
    const filters = [...wanted].filter(([key]) => !OTHER.includes(key));
    const asked = JSON.stringify([filters, words, wanted.get("sort")]);
    if (asked !== filtered) {
      filtered = asked;
      found = ordered(matching(filters, words));
      const active = filters.length > 0 || Boolean(words);
      counted(active ? `${found.length} of ${n} ${what}` : `${n} ${what}`);
      at("clear").hidden = !active;
      at("tokens").replaceChildren(...filters.map(([key, text]) => {
        const token = make("button", "token", `${titles.get(key) || key}: ${text.replaceAll(",", ", ")} ×`);
        token.type = "button";
        token.dataset.drop = key;
        token.setAttribute("aria-label", `Drop the filter ${titles.get(key) || key} ${text}`);
        return token;
      }));
      const nothing = at("nothing");
      nothing.hidden = found.length > 0;
      if (!found.length) {
        const without = filters.map(([key, text]) => [key, text, matching(filters.filter((each) => each[0] !== key), words).length]);
        nothing.textContent = `Nothing matches ${inWords(filters, words)}. ${without.map(([key, text, left]) => `Without ${titles.get(key) || key} ${text}: ${left}.`).join(" ")}`;
      }
      at("rail-head").title = `${found.length} ${what}${active ? `: ${inWords(filters, words)}` : ""}`;
      at("rail-head").textContent = at("rail-head").title;
      grid.setAttribute("aria-rowcount", found.length + 1);
      for (const select of section.querySelectorAll("select")) {
        const level = index.criteria.find(({ id }) => wanted.get(id));
        select.value = (select.dataset.key !== "levels" ? wanted.get(select.dataset.key) : level && `${level.id}=${wanted.get(level.id)}`) || "";
        // What a chart asked for may be no option.
        if (select.selectedIndex < 0) select.selectedIndex = 0;
      }
      if (document.activeElement !== at("q")) at("q").value = wanted.get("q") || "";
      const sort = wanted.get("sort") || index.sort;
      for (const button of section.querySelectorAll("[data-sort]")) {
        const is = [button.dataset.sort, `-${button.dataset.sort}`].includes(sort);
        if (is) button.parentElement.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
        else button.parentElement.removeAttribute("aria-sort");
      }
      current = Math.min(current, Math.max(0, found.length - 1));
    }
    if (!wanted.get("case")) paint();
    await opened(wanted.get("case"), moves);
  };

  // Printing: the list as it is filtered, or the open entry alone.
  const PRINTED = 500;
  addEventListener("beforeprint", () => {
    if (wanted.get("case")) return;
    const filters = [...wanted].filter(([key]) => !OTHER.includes(key));
    const some = inWords(filters, wanted.get("q"));
    const cut = found.length > PRINTED ? `; the first ${PRINTED} are printed` : "";
    at("printed").textContent = `${found.length} of ${n} ${what}${some ? `: ${some}` : ""}${cut}.`;
    pane.replaceChildren(...found.slice(0, PRINTED).map((_, position) => drawn(position)));
  });
  addEventListener("afterprint", () => { at("printed").textContent = ""; paint(); });

  // What people do.
  const fresh = () => { grid.scrollTop = 0; current = 0; };
  section.addEventListener("change", (event) => {
    const { dataset: { key }, value } = event.target;
    if (!key) return;
    fresh();
    if (key !== "levels") go(replaced(key, value), true);
    else if (value) go(replaced(...value.split("=")), true);
    else go(new URLSearchParams([...wanted].filter(([each]) => criterion(each) < 0)), true);
  });
  at("q").addEventListener("input", (event) => { fresh(); go(replaced("q", event.target.value.trim()), false); });
  const sorted = (key) => go(replaced("sort", (wanted.get("sort") || index.sort) === key ? `-${key}` : key), true);
  section.addEventListener("click", (event) => {
    const { sort, drop, tab } = event.target.closest("button")?.dataset || {};
    if (sort) { sorted(sort); return; }
    if (drop) { fresh(); go(replaced(drop, ""), true); return; }
    if (tab !== undefined) { go(replaced("tab", tab), false); return; }
    if (event.target.closest(".as-sent")) { asSent = !asSent; tabbed(); return; }
    const row = event.target.closest(".row");
    if (row) { current = +row.dataset.position; enter(); }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-filter]");
    if (!link) return;
    event.preventDefault();
    for (const [key, text] of new URLSearchParams(link.dataset.filter)) wanted = replaced(key, text, event.shiftKey);
    fresh();
    go(replaced("case", ""), true);
    section.scrollIntoView();
    focus();
  });
  grid.addEventListener("scroll", () => requestAnimationFrame(paint), { passive: true });
  addEventListener("resize", paint);
  addEventListener("popstate", () => { wanted = said(); show(); });
  at("clear").addEventListener("click", () => { go(new URLSearchParams([...wanted].filter(([key]) => key === "sort")), true); at("q").value = ""; });
  at("leave").addEventListener("click", leave);
  at("previous").addEventListener("click", () => step(-1));
  at("next").addEventListener("click", () => step(1));
  const copy = () => navigator.clipboard?.writeText(location.href).then(() => { counted("Link copied"); });
  for (const button of section.querySelectorAll(".link")) button.addEventListener("click", copy);
  const fails = (row) => ["fail", "blocked"].includes(outcome(row));
  const arrow = (by) => (event) => (grid.contains(event.target) ? step(by) : false);
  const atCase = (act) => () => (wanted.get("case") ? act() : false);
  const ACTS = {
    j: () => step(1), k: () => step(-1), ArrowDown: arrow(1), ArrowUp: arrow(-1),
    "]": () => step(1, fails), "[": () => step(-1, fails), y: copy, x: () => at("clear").click(),
    "/": () => { section.scrollIntoView(); at("q").focus(); }, f: () => { section.scrollIntoView(); section.querySelector("select")?.focus(); },
    a: atCase(() => place.querySelectorAll(".anchors").forEach((each) => { each.open = !each.open; })),
    t: atCase(() => go(replaced("tab", wanted.get("tab") === "raw" ? "" : "raw"), false)),
    v: atCase(() => { asSent = !asSent; tabbed(); }),
    Enter: (event) => (!wanted.get("case") && (grid.contains(event.target) || event.target === document.body) ? enter() : false),
    Escape: (event) => { if (wanted.get("case")) leave(); else event.target.blur?.(); },
  };
  for (const [key, act] of Object.entries(ACTS)) press.set(key, act);
  for (let digit = 1; digit <= 9; digit += 1) {
    press.set(String(digit), () => {
      if (wanted.get("case")) {
        const packet = place.querySelectorAll(".packet")[digit - 1];
        if (packet && open.classList.contains("at-raw")) place.querySelectorAll(".packet").forEach((each) => { each.open = each === packet; });
      } else if (index.criteria[digit - 1]) sorted(index.criteria[digit - 1].id);
    });
  }
  section.hidden = false;
  document.querySelectorAll(".without-script").forEach((each) => each.remove());
  show();
  all().then(paint);
})();
