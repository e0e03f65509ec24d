/** What stands beside a completion. */
import classes from './expression.module.css';
import type { Member } from './vocabulary';

function part(kind: 'signature' | 'help' | 'example' | 'result', text: string): HTMLElement {
  const made = document.createElement(kind === 'help' ? 'p' : 'code');
  made.className = classes[kind] ?? '';
  made.textContent = text;
  return made;
}

/** Its signature, a sentence, and an example with what it gives. name: where another one is shown. */
export function told(member: Member, name = member.name): HTMLElement {
  const made = document.createElement('div');
  made.className = classes.told ?? '';
  made.append(part('signature', `${name}${member.arguments}`), part('help', member.help));
  const example = part('example', member.example);
  made.append(example);
  if (member.result !== null && member.result !== undefined) made.append(part('result', member.result));
  return made;
}

const LONGEST = 300;

/** A field's value in the item that is looked at. */
export function sampled(value: unknown): HTMLElement {
  const made = document.createElement('div');
  made.className = classes.told ?? '';
  const text = JSON.stringify(value) ?? '';
  made.append(part('result', text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text));
  return made;
}
