"use strict";
// The look that a person chose in this browser, put on before anything is drawn. Without a choice the system's counts.
(() => {
  const kept = () => { try { return localStorage.getItem("scheme") ?? "auto"; } catch { return "auto"; } };
  const use = (scheme) => {
    document.getElementById("dark").media =
      { dark: "all", light: "not all" }[scheme] ?? "(prefers-color-scheme: dark)";
    document.documentElement.style.colorScheme = scheme === "auto" ? "" : scheme;
  };
  use(kept());
  addEventListener("DOMContentLoaded", () => {
    const select = document.getElementById("scheme");
    if (!select) return;
    select.value = kept();
    select.closest("label").hidden = false;
    select.addEventListener("change", () => {
      try { localStorage.setItem("scheme", select.value); } catch { /* it counts for this page */ }
      use(select.value);
    });
  });
})();
