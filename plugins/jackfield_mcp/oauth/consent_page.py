"""The consent page. It holds nothing of anybody: its script asks the management API, which wants a login.

The daemon's own user at this machine gets a session. Everybody else logs in for this one decision, by a token that the
page alone has and ends."""

from __future__ import annotations

from jackfield.api.asgi_answers import ScriptedPage

_SCRIPT = """
const at = (name) => document.getElementById(name);
const request = new URLSearchParams(location.search).get("request") || "";
const path = "/api/v1/mcp/authorizations/" + encodeURIComponent(request);
const risky = /^(agents|machine):/;
const titles = {totp: "Code of an authenticator app", recovery: "Recovery code"};
let token = "", begun = "";
const ask = (where, body) => fetch(where, {
  method: body === undefined ? "GET" : "POST",
  credentials: token ? "omit" : "same-origin",
  headers: {
    ...(body === undefined ? {} : {"Content-Type": "application/json"}),
    ...(token ? {Authorization: "Bearer " + token} : {}),
  },
  body: body === undefined ? undefined : JSON.stringify(body),
});
const say = (text) => { at("words").textContent = text; };
const only = (name) => { for (const part of ["login", "step", "consent"]) at(part).hidden = part !== name; };

async function show(mayTry) {
  const reply = await ask(path);
  if (reply.status === 401) {
    if (mayTry && (await ask("/api/session", {})).ok) return show(false);
    say("Log in to decide which rights this client gets.");
    return only("login");
  }
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) { only(""); return say(told.message || "The daemon does not answer."); }
  at("client").textContent = told.client || "A client without a name";
  at("host").textContent = told.redirectHost;
  at("user").textContent = told.username;
  const list = at("scopes");
  list.replaceChildren();
  for (const scope of told.scopes) {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox"; box.value = scope;
    box.checked = !risky.test(scope);
    label.append(box, " " + scope);
    list.append(label, document.createElement("br"));
  }
  say("");
  return only("consent");
}

async function decide(allow) {
  const scopes = [...document.querySelectorAll("#scopes input:checked")].map((box) => box.value);
  if (allow && scopes.length === 0) return say("Choose a right, or refuse.");
  const reply = await ask(path, {allow, scopes: allow ? scopes : []});
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) return say(told.message || "The daemon does not answer.");
  if (token) await ask("/api/v1/auth/logout", {});
  only("");
  say("Done. You can close this page.");
  location.assign(told.redirect);
}

at("allow").addEventListener("click", () => decide(true));
at("refuse").addEventListener("click", () => decide(false));
at("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const reply = await ask("/api/v1/auth/login", {username: at("username").value, password: at("password").value});
  at("password").value = "";
  return enter(reply);
});
async function enter(reply) {
  const told = await reply.json().catch(() => ({}));
  if (told.code === "SECOND_FACTOR_NEEDED" && told.details) return second(told.details);
  if (!reply.ok || !told.token) return say(told.message || "The login failed.");
  token = told.token;
  return show(false);
}
function second(details) {
  begun = details.login;
  const typed = details.factors.split(", ").filter((name) => name !== "passkey");
  if (typed.length === 0) return say("Log in with your passkey at the interface, and open this page again then.");
  at("factor").replaceChildren(...typed.map((name) => new Option(titles[name] || name, name)));
  say("Your account has a second factor.");
  return only("step");
}
at("step").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = {login: begun, factor: at("factor").value, answer: at("answer").value};
  at("answer").value = "";
  return enter(await ask("/api/v1/auth/login/answer", body));
});
show(true).catch(() => say("The daemon does not answer."));
"""
_BODY = """\
<p id="words" role="status">One moment ...</p>
<form id="login" hidden><p><label>Name<br><input id="username" autocomplete="username" required></label></p>
<p><label>Password<br><input id="password" type="password" autocomplete="current-password" required></label></p>
<p><button>Log in</button></p><p>Another way to log in is at <a href="/">the interface</a>; open this page again
then.</p></form>
<form id="step" hidden><p><label>Second factor<br><select id="factor"></select></label></p>
<p><label>Code<br><input id="answer" autocomplete="one-time-code" required></label></p>
<p><button>Log in</button></p></form>
<div id="consent" hidden><p>The client <b id="client"></b>, which gave this name itself, asks to use Jackfield over MCP
as <b id="user"></b>. Your browser then goes to <b id="host"></b>.</p>
<fieldset><legend>Rights</legend><div id="scopes"></div></fieldset>
<p><code>agents:write</code> and <code>machine:write</code> reach all that the daemon's user may do. Refuse a client
that you have not started yourself.</p>
<p><button id="allow">Allow</button> <button id="refuse">Refuse</button></p></div>"""
CONSENT_PAGE = ScriptedPage("Let a client in", _BODY, _SCRIPT)
