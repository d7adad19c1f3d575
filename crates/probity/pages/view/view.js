"use strict";
// The list of replies, its filters and the open case. An index with the figures is in the page; texts are in blocks,
// compressed, and are read when the browser is idle or a case of them is opened. What a block holds was escaped when it
// was made. Filters, order and the open case are in the address.
(() => {
  const holder = document.getElementById("index");
  const section = document.getElementById("replies");
  if (!holder || !section) return;
  const index = JSON.parse(holder.textContent);
  const n = index.name.length;
  const SIZE = index.block;
  const at = (id) => document.getElementById(id);
  const [grid, pane, open, place] = ["grid", "window", "open", "case"].map(at);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Blocks.
  const blocks = new Map();
  const inflated = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };
  // A server sends blocks by address.
  const fetched = (number) => fetch(`${holder.dataset.blocks}/${number}`).then((response) => response.text());
  const texts = new Array(n);
  const lines = new Array(n);
  const block = (number) => {
    if (!blocks.has(number)) {
      const element = document.querySelector(`script[data-block="${number}"]`);
      const text = element ? Promise.resolve(element.textContent) : fetched(number);
      blocks.set(number, text.then(inflated).then((rows) => {
        rows.forEach((row, step) => {
          lines[number * SIZE + step] = row;
          texts[number * SIZE + step] = row[2].replace(/<[^>]*>/g, " ")
            .replace(/&(lt|gt|amp|quot|#x27|#x2f);/g, (_, name) =>
              ({ lt: "<", gt: ">", amp: "&", quot: "\"", "#x27": "'", "#x2f": "/" })[name]).toLowerCase();
        });
        element?.remove();
        return rows;
      }));
    }
    return blocks.get(number);
  };
  const all = async () => {
    for (let number = 0; number * SIZE < n; number += 1) await block(number);
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
  const go = (next, step) => {
    wanted = next;
    history[step ? "pushState" : "replaceState"](null, "", `${SIGN}${wanted}`);
    return show();
  };

  // Filters and order.
  const OTHER = ["case", "sort", "tab", "q", "page"];
  const between = (range) => {
    const [low, high] = range.includes("..") ? range.split("..") : [range, range];
    return (level) => level !== null && (low === "" || level >= +low) && (high === "" || level <= +high);
  };
  const test = (key, value) => {
    const values = value.split(",");
    const criterion = index.criteria.findIndex((each) => each.id === key);
    if (criterion >= 0) {
      const ranges = values.map(between);
      return (row) => ranges.some((range) => range(index.levels[criterion][row]));
    }
    const column = { o: index.outcome, slice: index.slice, variant: index.variant }[key];
    if (column) return (row) => values.includes(column[row]);
    if (key === "rule") return (row) => index.rules[row].some((rule) => values.includes(rule));
    return null;
  };
  const LAST = { blocked: 1, unscored: 2 };
  const value = (key) => {
    const criterion = index.criteria.findIndex((each) => each.id === key);
    if (criterion >= 0) return (row) => index.levels[criterion][row];
    return (row) => (index[key] ?? index.total)[row];
  };
  const ordered = (rows) => {
    const sort = wanted.get("sort") || "total";
    const [key, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
    const of = value(key);
    return rows.sort((one, other) => {
      const rank = (LAST[index.outcome[one]] || 0) - (LAST[index.outcome[other]] || 0);
      if (rank) return rank;
      const [a, b] = [of(one), of(other)];
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
  const menu = (key, title, options) => {
    const values = options.filter(([value]) => value !== null);
    if (values.length < 2) return;
    const label = make("label", "", `${title} `);
    const select = make("select");
    select.dataset.key = key;
    for (const [value, text] of [["", "any"], ...values]) {
      const option = make("option", "", text);
      option.value = value;
      select.append(option);
    }
    label.append(select);
    at("menus").append(label);
  };
  const named = (column) => [...new Set(column)].sort().map((name) => [name, name]);
  menu("o", "Outcome", named(index.outcome));
  menu("slice", "Slice", named(index.slice));
  menu("variant", "Variant", named(index.variant));
  for (const { id, title, levels, best } of index.criteria) {
    const rising = best === Math.max(...levels);
    menu(id, title, levels.filter((level) => level !== best).map((level) =>
      rising ? [`..${level}`, `${level} or less`] : [`${level}..`, `${level} or more`]));
  }
  menu("rule", "Rule", named(index.rules.flat()));
  const HEADS = [["outcome", "Outcome"], ["name", "Reply"], ["", "Ticket and reply"], ["total", "Total"]];
  at("heads").append(...[...HEADS, ...index.criteria.map(({ id, title }) => [id, title])].map(([key, title], column) => {
    const head = make("div", column > 3 ? "level" : column === 3 ? "n" : "");
    head.setAttribute("role", "columnheader");
    if (!key) { head.textContent = title; return head; }
    const button = make("button", "", title);
    button.type = "button";
    button.dataset.sort = key;
    head.append(button);
    return head;
  }));
  grid.style.setProperty("--criteria", index.criteria.length);

  // The list.
  let found = [];
  let current = 0;
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
  const excerpt = (row, words) => {
    const text = texts[row];
    const start = text.indexOf(words);
    return start < 0 ? "" : `… ${text.slice(Math.max(0, start - 40), start + 80).replace(/\s+/g, " ")} …`;
  };
  const drawn = (position) => {
    const row = found[position];
    const words = (wanted.get("q") || "").toLowerCase();
    const [ticket, reply] = lines[row] || ["…", "…"];
    const element = make("div", "row");
    element.setAttribute("role", "row");
    element.setAttribute("aria-rowindex", position + 2);
    element.style.top = `${position * height()}px`;
    element.dataset.position = position;
    element.tabIndex = position === current ? 0 : -1;
    if (index.name[row] === wanted.get("case")) element.setAttribute("aria-selected", "true");
    const outcome = index.outcome[row];
    const icon = make("i", `icon ${outcome}`);
    const second = words && ![ticket, reply].some((text) => text.toLowerCase().includes(words)) ? excerpt(row, words) : reply;
    const total = index.total[row];
    element.append(
      cell(`outcome ${outcome}`, icon, make("span", "name", outcome)),
      cell("id", make("code", "", index.name[row]), make("small", "", index.slice[row])),
      cell("lines", line(ticket, words), line(second, words)),
      cell("total n", total === null ? "–" : String(total)),
      ...index.criteria.map((criterion, step) => {
        const level = index.levels[step][row];
        const share = level === null ? null : Math.abs(level - criterion.worst) / Math.abs(criterion.best - criterion.worst);
        return cell(`level${share === null ? "" : ` h${Math.min(4, Math.floor(share * 4 + 0.001))}`}`, level === null ? "–" : String(level));
      }));
    return element;
  };
  const paint = () => {
    const tall = height();
    pane.style.height = `${found.length * tall}px`;
    const first = Math.max(0, Math.floor(grid.scrollTop / tall) - 8);
    const last = Math.min(found.length, Math.ceil((grid.scrollTop + grid.clientHeight) / tall) + 8);
    const rows = [];
    for (let position = first; position < last; position += 1) {
      if (!lines[found[position]]) block(Math.floor(found[position] / SIZE)).then(() => requestAnimationFrame(paint));
      rows.push(drawn(position));
    }
    pane.replaceChildren(...rows);
  };

  // The open case.
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
      range.setEnd(node, start + words.length);
      range.surroundContents(make("mark", "found"));
    }
  };
  const opened = async (name, moves) => {
    section.classList.toggle("reading", Boolean(name));
    open.hidden = !name;
    if (!name) return;
    const row = index.name.indexOf(name);
    const position = found.indexOf(row);
    at("case-name").textContent = name;
    if (row < 0) {
      place.replaceChildren(make("p", "soft", `There is no reply called ${name} here.`));
      return;
    }
    const rows = await block(Math.floor(row / SIZE));
    if (wanted.get("case") !== name) return;
    const page = new DOMParser().parseFromString(rows[row % SIZE][2], "text/html");
    const article = page.body.firstElementChild;
    marked(article, (wanted.get("q") || "").toLowerCase());
    place.replaceChildren(article);
    at("case-place").textContent = position < 0 ? "not in the list" : `${position + 1} of ${found.length}`;
    if (position >= 0) {
      current = position;
      const tall = height();
      if (position * tall < grid.scrollTop || (position + 1) * tall > grid.scrollTop + grid.clientHeight) grid.scrollTop = position * tall;
    }
    paint();
    if (moves) document.getElementById("case-title").focus();
  };
  const step = (by, test) => {
    if (!found.length) return;
    let position = current;
    do position += by; while (test && position >= 0 && position < found.length && !test(found[position]));
    if (position < 0 || position >= found.length) return;
    current = position;
    if (wanted.get("case")) go(replaced("case", index.name[found[position]]), false);
    else focus();
  };
  const focus = () => {
    const tall = height();
    if (current * tall < grid.scrollTop) grid.scrollTop = current * tall;
    else if ((current + 1) * tall > grid.scrollTop + grid.clientHeight) grid.scrollTop = (current + 1) * tall - grid.clientHeight;
    paint();
    pane.querySelector(`[data-position="${current}"]`)?.focus({ preventScroll: true });
  };
  const leave = () => { go(replaced("case", ""), true); focus(); };

  // Everything that the address says.
  let saying;
  const counted = (text) => {
    clearTimeout(saying);
    saying = setTimeout(() => { at("count").textContent = text; }, at("count").textContent ? 300 : 0);
  };
  const show = async (moves) => {
    const words = (wanted.get("q") || "").toLowerCase();
    if (words && texts.includes(undefined)) { counted("Reading texts …"); await all(); }
    const filters = [...wanted].filter(([key]) => !OTHER.includes(key));
    found = ordered(matching(filters, words));
    const active = filters.length > 0 || words;
    counted(active ? `${found.length} of ${n} replies` : `${n} replies`);
    at("clear").hidden = !active;
    const nothing = at("nothing");
    nothing.hidden = found.length > 0;
    if (!found.length) {
      const without = filters.map(([key, text]) => [key, text, matching(filters.filter((each) => each[0] !== key), words).length]);
      nothing.textContent = `Nothing matches. ${without.map(([key, text, left]) => `Without ${key} ${text}: ${left}.`).join(" ")}`;
    }
    grid.setAttribute("aria-rowcount", found.length + 1);
    for (const select of section.querySelectorAll("select")) select.value = wanted.get(select.dataset.key) || "";
    if (document.activeElement !== at("q")) at("q").value = wanted.get("q") || "";
    const sort = wanted.get("sort") || "total";
    for (const button of section.querySelectorAll("[data-sort]")) {
      const is = [button.dataset.sort, `-${button.dataset.sort}`].includes(sort);
      if (is) button.parentElement.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
      else button.parentElement.removeAttribute("aria-sort");
    }
    current = Math.min(current, Math.max(0, found.length - 1));
    paint();
    await opened(wanted.get("case"), moves);
  };

  // What people do.
  section.addEventListener("change", (event) => {
    if (event.target.dataset.key) { grid.scrollTop = 0; current = 0; go(replaced(event.target.dataset.key, event.target.value), true); }
  });
  at("q").addEventListener("input", (event) => { grid.scrollTop = 0; current = 0; go(replaced("q", event.target.value.trim()), false); });
  section.addEventListener("click", (event) => {
    const key = event.target.closest("[data-sort]")?.dataset.sort;
    if (key) { go(replaced("sort", (wanted.get("sort") || "total") === key ? `-${key}` : key), true); return; }
    const row = event.target.closest(".row");
    if (row) { current = +row.dataset.position; go(replaced("case", index.name[found[current]]), true).then(() => at("case-title")?.focus()); }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-filter]");
    if (!link) return;
    event.preventDefault();
    for (const [key, text] of new URLSearchParams(link.dataset.filter)) wanted = replaced(key, text, event.shiftKey);
    go(replaced("case", ""), true);
    section.scrollIntoView();
    current = 0;
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
  at("link").addEventListener("click", copy);
  const fails = (row) => index.outcome[row] === "fail" || index.outcome[row] === "blocked";
  const KEYS = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    "]": () => step(1, fails), "[": () => step(-1, fails), Escape: leave, y: copy,
    "/": () => at("q").focus(), x: () => at("clear").click(), f: () => section.querySelector("select").focus(),
    a: () => place.querySelectorAll(".anchors").forEach((each) => { each.open = !each.open; }),
    Enter: () => { if (found.length) go(replaced("case", index.name[found[current]]), true).then(() => at("case-title")?.focus()); },
  };
  // Single keys can be switched off, which is kept in the browser; a file may not be let at what it keeps.
  const single = () => { try { return localStorage.getItem("single-keys") !== "off"; } catch { return true; } };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key.length === 1 && !single()) return;
    const field = event.target.closest("input, select, textarea, button, a, summary");
    if (field && !(event.key === "Escape")) return;
    if (event.key.startsWith("Arrow") && !grid.contains(event.target)) return;
    if (event.key === "Escape" && !wanted.get("case")) { event.target.blur?.(); return; }
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  section.hidden = false;
  document.querySelectorAll(".without-script").forEach((each) => each.remove());
  show();
  (window.requestIdleCallback || setTimeout)(() => all().then(paint));
})();
