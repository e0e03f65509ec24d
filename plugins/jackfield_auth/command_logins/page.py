"""The page on which a person lets a command line in. It holds nothing of anybody: its script asks the management API.

A person without a session logs in at the daemon's own login page, in another tab, in each way that it offers. This
page goes on once that tab has a session."""

from __future__ import annotations

from jackfield.api.asgi_answers import ScriptedPage

_SCRIPT = """
const at = (name) => document.getElementById(name);
const every = 2000;
let named = decodeURIComponent(location.hash.slice(1)), tab = null, waits = 0, ripens = 0;
const ask = (where, body) => fetch(where, {
  method: body === undefined ? "GET" : "POST",
  credentials: "same-origin",
  headers: body === undefined ? {} : {"Content-Type": "application/json"},
  body: body === undefined ? undefined : JSON.stringify(body),
});
const say = (text) => { at("words").textContent = text; };
const only = (name) => { for (const part of ["typing", "login", "consent"]) at(part).hidden = part !== name; };
// Nobody allows with the second click of two that began on a page in front of this one.
const ripen = () => {
  at("allow").disabled = true;
  clearTimeout(ripens);
  ripens = setTimeout(() => { at("allow").disabled = false; }, 1000);
};
const plain = () => named.toUpperCase().replace(/[^A-Z]/g, "");
const path = () => "/api/v1/auth/command-logins/" + encodeURIComponent(named);

async function show(mayTry) {
  if (!named) { say("Type the code that the command shows."); only("typing"); return at("code").focus(); }
  const reply = await ask(path());
  if (reply.status === 401) {
    if (mayTry && (await ask("/api/session", {})).ok) return show(false);
    say("Log in to decide about this command.");
    return only("login");
  }
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) { named = ""; only("typing"); return say(told.message || "The daemon does not answer."); }
  at("machine").textContent = told.name;
  at("address").textContent = told.address;
  at("time").textContent = new Date(told.begunAt).toLocaleTimeString();
  at("user").textContent = told.username;
  at("kept").textContent = told.expiresAfter;
  at("rights").textContent = told.scopes.length ? told.scopes.join(", ") : "all rights of that user";
  at("choosing").hidden = told.users.length === 0;
  at("asking").hidden = told.users.length !== 0;
  at("who").replaceChildren(...told.users.map((name) => new Option(name, name)));
  at("comparing").hidden = named.startsWith("jf_cr_");
  at("shown").textContent = plain().slice(0, 4) + "-" + plain().slice(4);
  say("");
  ripen();
  return only("consent");
}

async function decide(allow) {
  const body = {allow};
  if (allow && !at("choosing").hidden) body.username = at("who").value;
  const reply = await ask(path(), body);
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) return say(told.message || "The daemon does not answer.");
  only("");
  say(allow ? "The command is logged in. You can close this page." : "You refused. You can close this page.");
  if (told.redirect) location.assign(told.redirect);
}

async function wait() {
  if (at("login").hidden) return;
  const reply = await ask("/api/session").catch(() => null);
  const told = reply && reply.ok ? await reply.json().catch(() => ({})) : {};
  if (!told.data || !told.data.authenticated) return;
  clearInterval(waits);
  if (tab) tab.close();
  return show(false);
}

at("open").addEventListener("click", () => {
  tab = window.open("/");
  say("Log in in the other tab. This page goes on then.");
  clearInterval(waits);
  waits = setInterval(wait, every);
});
addEventListener("focus", () => { ripen(); wait(); });
at("typing").addEventListener("submit", (event) => {
  event.preventDefault();
  named = at("code").value.trim();
  return show(true).catch(failed);
});
at("allow").addEventListener("click", () => decide(true).catch(failed));
at("refuse").addEventListener("click", () => decide(false).catch(failed));
const failed = () => say("The daemon does not answer.");
show(true).catch(failed);
"""
_BODY = """\
<p id="words" role="status">One moment ...</p>
<form id="typing" hidden><p><label>Code<br><input id="code" autocomplete="off" autocapitalize="characters" required
spellcheck="false"></label></p><p><button>Continue</button></p></form>
<div id="login" hidden><p><button id="open">Log in</button></p></div>
<div id="consent" hidden><p>The command <code>jackfield login</code> asks for an API key. It runs on a machine that
calls itself <b id="machine"></b>, has the address <b id="address"></b>, and began at <b id="time"></b>.</p>
<p id="asking">The key acts as <b id="user"></b>.</p>
<p id="choosing" hidden><label>You are the daemon's own user, who has no keys. The key acts as
<select id="who"></select></label></p>
<p>It has <b id="rights"></b>, and ends after <b id="kept"></b>. You can revoke it earlier in your list of API keys.</p>
<p id="comparing" hidden>It shows the code <b id="shown"></b>. Refuse if somebody has sent you that code or a link.</p>
<p>Refuse a command that you have not started yourself.</p>
<p><button id="allow">Allow</button> <button id="refuse">Refuse</button></p></div>"""
CONSENT_PAGE = ScriptedPage("Let a command line in", _BODY, _SCRIPT)
