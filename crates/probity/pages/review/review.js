// Keys for labelling and settling, and coming in by a link. Everything here also works without it, by plain forms.

const stays = 1000; // milliseconds between tries while the server does not answer

/** Sends a form and stays on the page; tries again for as long as no server answers. */
async function send(form, action, say) {
  const body = new URLSearchParams(new FormData(form));
  for (;;) {
    let response;
    try {
      response = await fetch(action, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "error" });
    } catch {
      say("The server does not answer. Your answer is kept here, and sent when it does.", "bad");
      await new Promise((wake) => setTimeout(wake, stays));
      continue;
    }
    const answer = await response.json().catch(() => ({ error: "the request failed" }));
    return { ok: response.ok, ...answer };
  }
}

function enter(form) {
  const token = location.hash.slice(1);
  if (!token) return;
  // The token leaves the address before anything else happens.
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.token.value = token;
  const box = document.getElementById("enter-message");
  const say = (text) => { box.textContent = text; box.hidden = !text; };
  send(form, "/enter", say).then((answer) => {
    if (answer.ok) location.replace(answer.go); else { form.elements.token.value = ""; say(answer.error); }
  });
}

/** Whether letters and digits act by themselves. Kept in this browser; Enter and arrows always act. */
const keys = {
  on: () => localStorage.getItem("single-keys") !== "off",
  turn() { localStorage.setItem("single-keys", keys.on() ? "off" : "on"); },
  /** What a key press asks for, or nothing where a field or another program has it. */
  of(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help")?.open) return null;
    if (event.target.closest("textarea, input:not([type=radio])")) return null;
    if (event.key.length === 1 && event.key !== " " && !keys.on()) return null;
    return event.key === "Enter" && event.target.closest("button, a, summary") ? null : event.key;
  },
};

/** What a person has chosen but not sent yet, kept in this tab. */
class Draft {
  constructor(form) { this.form = form; this.name = "draft:" + form.dataset.draft; }
  keep() {
    const fields = [...new FormData(this.form)].filter(([name]) => name !== "revision");
    sessionStorage.setItem(this.name, JSON.stringify(fields));
  }
  bring() {
    let fields = [];
    try { fields = JSON.parse(sessionStorage.getItem(this.name) ?? "[]"); } catch { /* not ours */ }
    for (const [name, value] of fields) {
      const field = this.form.elements.namedItem(name);
      if (field) field.value = value;
    }
  }
  drop() { sessionStorage.removeItem(this.name); }
}

/** The texts beside a form: which of them is shown, and how much of them. */
function texts(form) {
  const scroller = document.getElementById("texts"), larger = document.getElementById("larger");
  const panes = [...form.querySelectorAll("[data-pane]")];
  const show = (wanted) => {
    for (const pane of panes) pane.setAttribute("aria-pressed", String(pane.dataset.pane === wanted));
    for (const part of scroller.querySelectorAll("[data-shows]")) part.hidden = part.dataset.shows !== wanted;
    scroller.setAttribute("aria-label", wanted === "turns" ? "Conversation" : "Evidence");
  };
  for (const pane of panes) { pane.hidden = false; pane.addEventListener("click", () => show(pane.dataset.pane)); }
  show("turns");
  larger.hidden = false;
  larger.addEventListener("click", () => {
    const grown = form.classList.toggle("grown");
    larger.setAttribute("aria-pressed", String(grown));
    larger.firstChild.textContent = grown ? "Smaller " : "Larger ";
  });
  const earlier = form.querySelector(".earlier");
  return { e: earlier && (() => { earlier.open = !earlier.open; }), r: () => larger.click() };
}

class LabelPage {
  constructor(form) {
    this.form = form;
    this.sets = [...form.querySelectorAll("[data-set]")];
    this.line = document.getElementById("status");
    this.note = form.elements.note;
    this.draft = new Draft(form);
    this.acts = texts(form);
    this.busy = false;
    form.noValidate = true;
    this.draft.bring();
    this.open(Math.max(0, this.sets.findIndex((set) => !this.chosen(set))));
    form.addEventListener("change", (event) => this.changed(event));
    form.addEventListener("input", () => this.draft.keep());
    form.addEventListener("submit", (event) => { event.preventDefault(); this.act(event.submitter); });
    for (const set of this.sets) {
      set.addEventListener("focusin", () => { this.at = this.sets.indexOf(set); });
      set.addEventListener("toggle", () => { if (set.open) this.open(this.sets.indexOf(set)); });
    }
    document.addEventListener("keydown", (event) => this.key(event));
    if (this.note.value) this.note.closest("details").open = true;
  }

  say(text, kind = "") { this.line.textContent = text; this.line.className = "status-line " + kind; }
  chosen(set) { return set.querySelector("input:checked"); }
  radios(set) { return [...set.querySelectorAll("input[type=radio]")]; }

  /** Opens one criterion; the others are one line each. */
  open(at) {
    this.at = at;
    this.sets.forEach((set, n) => {
      if ("open" in set) set.open = n === at;
      const box = set.querySelector("[data-box]"), chosen = this.chosen(set);
      if (box) box.textContent = !chosen ? "–" : chosen.value === "" ? "?" : chosen.value;
      set.classList.toggle("done", Boolean(chosen));
    });
    for (const reply of document.querySelectorAll("[data-reply]")) {
      reply.classList.toggle("leads", this.chosen(this.sets[0])?.value === reply.dataset.reply);
    }
  }

  /** Opens a criterion and gives it the focus, so that the next key goes there. */
  focus(at) {
    this.open(at);
    const set = this.sets[at];
    (this.chosen(set) ?? this.radios(set)[0]).focus({ preventScroll: true });
    set.scrollIntoView({ block: "nearest" });
  }

  changed(event) {
    const set = event.target.closest("[data-set]");
    if (!set) return;
    this.at = this.sets.indexOf(set);
    this.choose(event.target);
  }

  /** Says what was chosen, what comes next and how far it is. */
  announce(at, next) {
    const set = this.sets[at], chosen = this.chosen(set), levels = this.radios(set).filter((radio) => radio.value);
    const value = chosen.value ? chosen.closest("label").querySelector(".value").textContent : "";
    const last = levels.at(-1).closest("label").querySelector(".value").textContent;
    this.open(this.at);
    const n = this.sets.filter((each) => this.chosen(each)).length;
    if (this.sets.length === 1) { this.say(`${chosen.closest("label").querySelector(".anchor")?.textContent ?? "Cannot tell"}. Enter submits.`); return; }
    const said = `${set.dataset.set}: ${chosen.value ? `${value} of ${last}` : "cannot tell"}.`;
    const goes = next >= 0 ? ` Next: ${this.sets[next].dataset.set}.` : "";
    this.say(`${said}${goes} ${n} of ${this.sets.length} answered.${n === this.sets.length ? " Enter submits." : ""}`);
  }

  choose(radio) {
    const at = this.at;
    radio.checked = true;
    this.draft.keep();
    const open = (from, to) => this.sets.findIndex((set, n) => n >= from && n < to && !this.chosen(set));
    const later = open(at + 1, this.sets.length), next = later >= 0 ? later : open(0, at);
    this.announce(at, next);
    this.focus(next >= 0 ? next : at);
  }

  step(by) {
    const radios = this.radios(this.sets[this.at]).filter((radio) => radio.value);
    const now = radios.findIndex((radio) => radio.checked);
    const next = now < 0 ? (by > 0 ? 0 : radios.length - 1) : Math.min(radios.length - 1, Math.max(0, now + by));
    radios[next].checked = true;
    this.draft.keep();
    this.announce(this.at, -1);
    this.focus(this.at);
  }

  key(event) {
    if (event.key === "Escape" && event.target.closest("textarea")) event.target.blur();
    const key = keys.of(event), act = key && this.meaning(key);
    if (!act) return;
    event.preventDefault();
    act();
  }

  meaning(key) {
    const pair = this.form.dataset.form === "pair", set = this.sets[this.at];
    const wanted = this.radios(set).find((radio) => radio.dataset.key.split(" ").includes(key));
    if (wanted) return () => this.choose(wanted);
    const on = (by) => () => this.focus(Math.min(this.sets.length - 1, Math.max(0, this.at + by)));
    switch (key) {
      case "ArrowLeft": case "ArrowRight": return pair ? null : () => this.step(key === "ArrowRight" ? 1 : -1);
      case "ArrowUp": return pair ? null : on(-1);
      case "ArrowDown": return pair ? null : on(1);
      case "Enter": return () => this.act(document.getElementById("submit"));
      case "s": return this.pressing("skip");
      case "u": return this.pressing("undo");
      case "n": return () => { this.note.closest("details").open = true; this.note.focus(); };
      case "w": return this.guide(set);
      default: return this.acts[key];
    }
  }

  guide(set) {
    const guide = set.querySelector(".guide") ?? this.form.querySelector(".ask > .guide");
    return guide && (() => { guide.open = !guide.open; });
  }

  pressing(id) {
    const button = document.querySelector(`button#${id}`);
    return button ? () => this.act(button) : null;
  }

  async act(button) {
    if (this.busy) return;
    if (button.id === "submit") {
      const open = this.sets.findIndex((set) => !this.chosen(set));
      if (open >= 0) {
        this.focus(open);
        const more = this.sets.filter((set) => !this.chosen(set)).length;
        this.say(this.sets.length > 1 ? `${this.sets[open].dataset.set} is open: ${more} to choose.` : "Choose first, or skip.", "bad");
        return;
      }
    }
    this.busy = true;
    for (const each of this.form.querySelectorAll("button")) each.disabled = true;
    const answer = await send(this.form, button.formAction, (text, kind) => this.say(text, kind));
    if (answer.ok) { this.draft.drop(); location.assign(answer.go); return; }
    this.busy = false;
    for (const each of this.form.querySelectorAll("button")) each.disabled = false;
    this.say(answer.error, "bad");
  }
}

/** The list of keys, and the switch for those without a modifier. */
function help(dialog) {
  const opener = document.getElementById("help-open"), button = document.getElementById("single-keys");
  const write = () => { button.textContent = `Single keys: ${keys.on() ? "on" : "off"}`; button.setAttribute("aria-pressed", String(keys.on())); };
  opener.hidden = false;
  opener.addEventListener("click", () => dialog.showModal());
  button.addEventListener("click", () => { keys.turn(); write(); });
  write();
  document.addEventListener("keydown", (event) => {
    if (keys.of(event) === "?") { event.preventDefault(); dialog.showModal(); }
  });
}

/** Keys press the buttons and follow the links that name them. */
function pressable(buttons) {
  document.addEventListener("keydown", (event) => {
    const key = keys.of(event), button = key && buttons.find((each) => each.dataset.press.split(" ").includes(key));
    if (button && !event.defaultPrevented) { event.preventDefault(); button.click(); }
  });
}

const entrance = document.getElementById("enter");
if (entrance) {
  enter(entrance);
  addEventListener("hashchange", () => enter(entrance));
}
const label = document.getElementById("label");
if (label?.dataset.draft) new LabelPage(label);
else if (label) { const acts = texts(label); document.addEventListener("keydown", (event) => acts[keys.of(event)]?.()); }
label?.querySelector(".ask h1").focus({ preventScroll: true });
const dialog = document.getElementById("help");
if (dialog) help(dialog);
const buttons = [...document.querySelectorAll("[data-press]")];
if (buttons.length) pressable(buttons);
for (const box of document.querySelectorAll("[data-copy]")) {
  const button = box.querySelector("button"), field = box.querySelector("input");
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard.writeText(field.value).then(() => { button.textContent = "Copied"; }, () => {});
  });
}
for (const select of document.querySelectorAll("form.filters select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
// Figures are made anew for a person who asked for it.
const live = document.querySelector("[data-live]");
if (live) {
  live.hidden = false;
  const box = live.querySelector("input");
  box.checked = sessionStorage.getItem("live") === "on";
  box.addEventListener("change", () => sessionStorage.setItem("live", box.checked ? "on" : "off"));
  setInterval(() => { if (box.checked && !document.hidden) location.reload(); }, 30_000);
}
// Keys count from here on.
document.documentElement.dataset.ready = "yes";
