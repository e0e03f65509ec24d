"""The page of a chat: it sends what is typed to its own address and shows the answers as text."""

from __future__ import annotations

import secrets
from html import escape

from quart import Response

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Node
from jackfield_ai.chat.trigger import options_of, streams

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 44rem; padding: 1rem; display: flex; flex-direction: column; min-height: 92vh; }
#log { flex: 1; display: flex; flex-direction: column; gap: .5rem; padding: 1rem 0; }
#log p { margin: 0; padding: .5rem .75rem; border-radius: .75rem; white-space: pre-wrap; overflow-wrap: anywhere;
  background: #8882; align-self: flex-start; max-width: 85%; }
#log p.own { align-self: flex-end; background: #36c; color: #fff; }
#log p.wrong { background: #c332; }
form { display: flex; gap: .5rem; position: sticky; bottom: 1rem; }
textarea { flex: 1; font: inherit; padding: .5rem; border-radius: .5rem; resize: vertical; }
button { font: inherit; padding: .5rem 1rem; border-radius: .5rem; }
"""
_SCRIPT = """
const log = document.getElementById('log'), form = document.querySelector('form'), box = form.elements.text;
const session = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2) + Date.now();
function show(text, kind) {
  const line = document.createElement('p');
  line.textContent = text;
  line.className = kind;
  log.append(line);
  line.scrollIntoView({ block: 'end' });
  return line;
}
function told(answer) {
  for (const name of ['output', 'text', 'message']) if (typeof answer?.[name] === 'string') return answer[name];
  return typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2);
}
async function follow(stream) {
  const lines = new Map(), reader = stream.getReader(), decoder = new TextDecoder();
  let rest = '', done = false;
  while (!done) {
    const read = await reader.read();
    done = read.done;
    rest += decoder.decode(read.value, { stream: !done });
    const whole = rest.split('\n');
    rest = whole.pop();
    for (const text of whole) take(JSON.parse(text), lines);
  }
}
function take(chunk, lines) {
  const at = chunk.metadata, key = at && JSON.stringify([at.nodeId, at.runIndex, at.itemIndex]);
  if (chunk.type === 'error') show(chunk.content || 'The message could not be worked on.', 'wrong');
  if (chunk.type === 'end') lines.delete(key);
  if (chunk.type !== 'item') return;
  if (!lines.has(key)) lines.set(key, show('', ''));
  lines.get(key).textContent += chunk.content;
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = box.value.trim();
  if (!text) return;
  show(text, 'own');
  box.value = '';
  form.elements.send.disabled = true;
  log.setAttribute('aria-busy', 'true');
  try {
    const reply = await fetch(location.href, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ action: 'sendMessage', sessionId: session, chatInput: text }),
    });
    if (reply.ok && document.body.dataset.streams) {
      await follow(reply.body);
    } else {
      const body = await reply.text();
      let answer = body;
      try { answer = JSON.parse(body); } catch {}
      show(told(answer), reply.ok ? '' : 'wrong');
    }
  } catch {
    show('The message could not be sent.', 'wrong');
  }
  log.setAttribute('aria-busy', 'false');
  form.elements.send.disabled = false;
  box.focus();
});
box.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
});
"""


def page(node: Node) -> Response:
    options = options_of(node)
    title = _text(options.get("title"), "Chat")
    subtitle = _text(options.get("subtitle"), "")
    hint = _text(options.get("inputPlaceholder"), "Type your question...")
    lines = [line for line in _text(node.parameters.get("initialMessages"), "").splitlines() if line.strip()]
    first = "".join(f"<p>{escape(line)}</p>" for line in lines)
    streaming = ' data-streams="1"' if streams(node) else ""
    nonce = secrets.token_urlsafe(16)
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)}</title><style nonce="{nonce}">{_STYLE}</style></head><body{streaming}>'
        f"<header><h1>{escape(title)}</h1><p>{escape(subtitle)}</p></header>"
        f'<main id="log" role="log" aria-live="polite">{first}</main>'
        f'<form><textarea name="text" rows="2" aria-label="Message" placeholder="{escape(hint)}" autofocus></textarea>'
        f'<button name="send">Send</button></form><script nonce="{nonce}">{_SCRIPT}</script></body></html>'
    )
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(body, 200, headers, content_type="text/html; charset=utf-8")


def _text(value: Json, default: str) -> str:
    return value.removeprefix("=") if isinstance(value, str) and value else default
