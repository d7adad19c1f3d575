"use strict";
// Shows the replies of a report a page at a time. The rows are data in the page; nothing is fetched, and every
// text is put in as text.
(() => {
  const PAGE = 100;
  const holder = document.getElementById("rows");
  const body = document.getElementById("replies-body");
  if (!holder || !body) return;
  const rows = JSON.parse(holder.textContent);
  const words = document.getElementById("words");
  const outcome = document.getElementById("outcome");
  const slice = document.getElementById("slice");
  const shown = document.getElementById("shown");
  const [back, on] = ["back", "on"].map((id) => document.getElementById(id));
  let page = 0;
  let order = { column: -1, up: true };

  const cell = (text, name) => {
    const td = document.createElement("td");
    td.textContent = text === null ? "–" : String(text);
    if (name) td.className = name;
    return td;
  };

  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null) return 1;
    if (b === null) return -1;
    return a < b ? -1 : 1;
  };

  const matching = () => {
    const wanted = words.value.trim().toLowerCase();
    const found = rows.filter((row) =>
      (!outcome.value || row[2] === outcome.value) &&
      (!slice.value || row[1] === slice.value) &&
      (!wanted || String(row[0]).toLowerCase().includes(wanted)));
    if (order.column >= 0) {
      const sign = order.up ? 1 : -1;
      found.sort((a, b) => sign * compare(a[order.column], b[order.column]));
    }
    return found;
  };

  const show = () => {
    const found = matching();
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages - 1);
    const part = found.slice(page * PAGE, (page + 1) * PAGE);
    body.replaceChildren(...part.map((row) => {
      const tr = document.createElement("tr");
      row.forEach((value, at) => tr.append(cell(value, at === 2 ? value : at > 2 ? "n" : "")));
      return tr;
    }));
    shown.textContent = `${found.length} of ${rows.length} replies, page ${page + 1} of ${pages}`;
    back.disabled = page === 0;
    on.disabled = page + 1 >= pages;
  };

  for (const name of [...new Set(rows.map((row) => row[1]))].sort()) {
    const option = document.createElement("option");
    option.value = option.textContent = name;
    slice.append(option);
  }
  for (const input of [words, outcome, slice]) {
    input.addEventListener("input", () => { page = 0; show(); });
  }
  back.addEventListener("click", () => { page -= 1; show(); });
  on.addEventListener("click", () => { page += 1; show(); });
  document.querySelectorAll("#replies-table th button").forEach((button, at) => {
    button.addEventListener("click", () => {
      order = { column: at, up: order.column === at ? !order.up : true };
      show();
    });
  });
  document.getElementById("replies").hidden = false;
  show();
})();
