"use strict";
const two = n => String(n).padStart(2, "0");
for (const t of document.querySelectorAll("time")) {
  const d = new Date(t.dateTime);
  t.title = t.textContent + " UTC";
  t.firstChild.data = `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
  t.lastChild.textContent = ` ${two(d.getHours())}:${two(d.getMinutes())}`;
}
const time = document.querySelector("th.time a");
time.textContent = "Modified";
time.title = Intl.DateTimeFormat().resolvedOptions().timeZone;
// The server filters too, and over all pages; a folder on one page can be filtered here.
const input = document.querySelector("input[name=filter]");
const rows = [...document.querySelectorAll("tbody tr:not(.up)")];
if (!document.querySelector(".pages") && !input.value) {
  input.addEventListener("input", () => {
    const text = input.value.toLowerCase();
    for (const r of rows) r.hidden = !r.querySelector("a").textContent.toLowerCase().includes(text);
  });
}
addEventListener("keydown", e => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target === input) return;
  e.preventDefault();
  input.focus();
});
