// Keys for the label page, and coming in by a link. Everything here also works without it, by plain forms.

const stays = 1000; // milliseconds between tries while the server does not answer

/** Sends a form and stays on the page; tries again for as long as nobody answers. */
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
    const answer = await response.json().catch(() => ({ error: "this did not work" }));
    return { ok: response.ok, ...answer };
  }
}

function enter(form) {
  const token = location.hash.slice(1);
  if (!token) return;
  // The token leaves the address before anything else happens.
  history.replaceState(null, "", location.pathname);
  form.elements.token.value = token;
  const box = document.getElementById("enter-message");
  const say = (text) => { box.textContent = text; box.hidden = !text; };
  send(form, "/enter", say).then((answer) => {
    if (answer.ok) location.replace(answer.go); else { form.elements.token.value = ""; say(answer.error); }
  });
}

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

class LabelPage {
  constructor(form) {
    this.form = form;
    this.sets = [...form.querySelectorAll("fieldset[data-set]")];
    this.line = document.getElementById("status");
    this.help = document.getElementById("help");
    this.note = form.elements.note;
    this.draft = new Draft(form);
    this.busy = false;
    form.noValidate = true;
    this.draft.bring();
    this.at = Math.max(0, this.sets.findIndex((set) => !this.chosen(set)));
    form.addEventListener("change", (event) => this.changed(event));
    form.addEventListener("input", () => this.draft.keep());
    form.addEventListener("submit", (event) => { event.preventDefault(); this.act(event.submitter); });
    document.addEventListener("keydown", (event) => this.key(event));
    const opener = document.getElementById("help-open");
    opener?.addEventListener("click", () => this.help.showModal());
    if (opener) opener.hidden = false;
    if (this.note.value) this.note.closest("details").open = true;
    this.mark(false);
  }

  say(text, kind = "") { this.line.textContent = text; this.line.className = "status-line " + kind; }
  chosen(set) { return set.querySelector("input:checked"); }
  radios(set) { return [...set.querySelectorAll("input[type=radio]")]; }

  mark(scroll) {
    this.sets.forEach((set, n) => set.classList.toggle("current", n === this.at && this.sets.length > 1));
    for (const reply of document.querySelectorAll("[data-reply]")) {
      reply.classList.toggle("leads", this.chosen(this.sets[0])?.value === reply.dataset.reply);
    }
    if (scroll) this.sets[this.at].scrollIntoView({ block: "nearest" });
  }

  changed(event) {
    const set = event.target.closest("fieldset[data-set]");
    if (set) this.at = this.sets.indexOf(set);
    this.say("");
    this.draft.keep();
    this.mark(false);
  }

  choose(radio) {
    radio.checked = true;
    this.say("");
    this.draft.keep();
    const open = this.sets.findIndex((set, n) => n > this.at && !this.chosen(set));
    if (open >= 0) this.at = open;
    this.mark(true);
  }

  step(by) {
    const radios = this.radios(this.sets[this.at]).filter((radio) => radio.dataset.key !== "c");
    const now = radios.findIndex((radio) => radio.checked);
    const next = now < 0 ? (by > 0 ? 0 : radios.length - 1) : Math.min(radios.length - 1, Math.max(0, now + by));
    radios[next].checked = true;
    this.say("");
    this.draft.keep();
    this.mark(false);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help?.open) return;
    const typing = event.target.closest("textarea, input[type=text]");
    if (typing) {
      if (event.key === "Escape") typing.blur();
      return;
    }
    const act = this.meaning(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  meaning(event) {
    const pair = this.form.dataset.form === "pair";
    const wanted = this.radios(this.sets[this.at]).find((radio) => radio.dataset.key.split(" ").includes(event.key));
    if (wanted) return () => this.choose(wanted);
    switch (event.key) {
      case "ArrowLeft": case "ArrowRight": return pair ? null : () => this.step(event.key === "ArrowRight" ? 1 : -1);
      case "ArrowUp": return pair ? null : () => { this.at = Math.max(0, this.at - 1); this.mark(true); };
      case "ArrowDown": return pair ? null : () => { this.at = Math.min(this.sets.length - 1, this.at + 1); this.mark(true); };
      case "Enter": return event.target.closest("button, a, summary") ? null : () => this.act(document.getElementById("submit"));
      case "s": return this.pressing("skip");
      case "u": return this.pressing("undo");
      case "n": return () => { this.note.closest("details").open = true; this.note.focus(); };
      case "?": return this.help ? () => this.help.showModal() : null;
      default: return null;
    }
  }

  pressing(id) {
    const button = document.getElementById(id);
    return button ? () => this.act(button) : null;
  }

  async act(button) {
    if (this.busy) return;
    if (button.id === "submit") {
      const open = this.sets.findIndex((set) => !this.chosen(set));
      if (open >= 0) {
        this.at = open;
        this.mark(true);
        this.say(this.sets.length > 1 ? "One more to choose." : "Choose first, or skip.", "bad");
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

/** Number keys press the buttons that name them, Enter the one that goes on. */
function pressable(buttons) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, input")) return;
    const on = event.key === "Enter" && event.target.closest("button, a, summary") ? null : event.key;
    const button = buttons.find((each) => each.dataset.press === on);
    if (button) { event.preventDefault(); button.click(); }
  });
}

const entrance = document.getElementById("enter");
if (entrance) {
  enter(entrance);
  addEventListener("hashchange", () => enter(entrance));
}
const label = document.getElementById("label");
if (label) new LabelPage(label);
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
// Figures are made anew while somebody looks at them.
if (document.querySelector("[data-live]")) setInterval(() => { if (!document.hidden) location.reload(); }, 30_000);
// Keys count from here on.
document.documentElement.dataset.ready = "yes";
