// Rewrites an expression before it is compiled: calls of extensions, `$if`, and members whose names are computed.
//
// `a.b.first(1)` becomes `$$.extend(a.b,"first",[1])`, as it works on null as well. Where an expression has such a call,
// optional chains become functions, lest a call wraps what the chain leaves out: `a?.b.first()` becomes
// `$$.chain(a,($$v)=>$$.extend($$v.b,"first",[]))`.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const HEADS = new Set(['if', 'for', 'while', 'switch', 'catch', 'with']);
  const OPERATORS = new Set('return typeof instanceof in of void delete do else case throw await yield'.split(' '));
  const CLOSES = { '(': ')', '[': ']', '{': '}' };
  const FORBIDDEN = new Set(
    `__proto__ prototype constructor getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors
    defineProperty defineProperties prepareStackTrace __lookupGetter__ __lookupSetter__ __defineGetter__ __defineSetter__
    mainModule getBuiltinModule dlopen execve loadEnvFile`.split(/\s+/),
  );
  const refuse = (name) => new Fault(`The expression must not use '${name}'.`);
  const MISUSED = new Fault("The expression must call $, as in $('Node').item; $ alone is no value.");
  const SHORT = new Fault('$if() needs at least a condition and a value.');

  // One value with the members and calls behind it. start: where its present link begins; opens: what has to stand
  // there; links: how many links of an optional chain it has.
  class Operand {
    constructor(start) {
      this.begin(start);
      this.links = 0;
    }
    begin(start) {
      this.start = start;
      this.head = { at: start, text: '' };
    }
  }

  class Rewriter {
    constructor(source, tokens, extensions, extended) {
      this.source = source;
      this.tokens = tokens;
      this.extensions = extensions;
      this.extended = extended;
      this.edits = []; // [from, to, text or an object that will have it]
      this.open = []; // brackets: {mark, operand, commas, ...}
      this.operand = null;
      this.isNew = null; // where a `new` stands whose operand is still to come
      this.member = null; // of a name behind a dot that a call may follow
      this.head = false; // the next bracket belongs to a word such as `if`
    }

    edit(from, to, text) {
      this.edits.push([from, to, text]);
    }

    begins(start) {
      this.ends();
      this.operand = new Operand(this.isNew ?? start);
      this.edits.push([this.operand.start, this.operand.start, this.operand.head]);
      this.isNew = null;
    }

    // The operand that was read last is over.
    ends() {
      const { operand } = this;
      if (operand && operand.links) this.edit(operand.end, operand.end, ')'.repeat(operand.links));
      this.operand = null;
      this.member = null;
    }

    // A link of an optional chain: what follows is a function of what was before. from, to: of the `?.`
    link(from, to, text, value = '$$v') {
      const { operand } = this;
      operand.head.text = '$$.chain(' + operand.head.text;
      operand.links++;
      const head = { text: '' };
      this.edits.push([from, to, { get text() { return `,($$v)=>${head.text}${value}${text}`; } }]);
      operand.head = head;
    }

    run() {
      for (let place = 0; place < this.tokens.length; place++) {
        const token = this.tokens[place];
        if (this.operand && !this.open.length && this.isOver(token)) break;
        place = this.token(token, place);
        if (this.operand) this.operand.end = this.tokens[place][2];
        if (this.stop) break;
      }
      this.ends();
      return this.text();
    }

    // Whether a second statement begins, of which nothing is evaluated.
    isOver([kind, start, , text, line]) {
      return line && (kind === 'word' ? !OPERATORS.has(text) : kind === 'value') && !this.dotted && start > 0 && (this.stop = start);
    }

    token([kind, start, end, text], place) {
      const dotted = this.dotted;
      this.dotted = null;
      if (kind === 'word') return dotted ? this.name(dotted, start, end, text, place) : this.word(start, end, text, place);
      if (kind === 'template' && text.startsWith('go on')) this.close('${');
      if (kind === 'value' || (kind === 'template' && text.startsWith('begin') && !this.operand)) this.begins(start);
      if (kind === 'template') {
        this.member = null;
        if (text.endsWith('open')) this.push('${', start);
      }
      return kind === 'mark' ? this.mark(start, end, text, place) : place;
    }

    word(start, end, text, place) {
      if (text === 'new') {
        this.ends();
        this.isNew ??= start;
      } else if (OPERATORS.has(text)) {
        this.ends();
        this.isNew = null;
      } else {
        const next = this.tokens[place + 1];
        const called = next?.[3] === '(' && next[0] === 'mark';
        this.begins(start);
        this.head = HEADS.has(text);
        if (text === 'arguments' && this.names(place)) throw refuse(text);
        if (text === 'import') this.nothing = true;
        if (text === '$' && !called && this.names(place)) throw MISUSED;
        if (text === '$if' && called && this.extended) this.choice = this.operand;
      }
      return place;
    }

    // Whether the word is no key of an object.
    names(place) {
      return this.tokens[place + 1]?.[3] !== ':' || this.open.at(-1)?.mark !== '{';
    }

    // `.name`
    name(dot, start, end, text, place) {
      if (FORBIDDEN.has(text)) throw refuse(text);
      this.member = { ...dot, name: text, end };
      if (dot.optional && this.extended && this.operand) {
        const next = this.tokens[place + 1];
        const isCall = text in this.extensions && next?.[3] === '(' && next[0] === 'mark';
        this.link(dot.start, end, isCall ? '' : `.${text}`);
        this.member.linked = true;
      }
      return place;
    }

    mark(start, end, text, place) {
      if (text === '.' || text === '?.') return this.dot(start, end, text, place);
      if (text === '(' || text === '[' || text === '{') this.opens(start, end, text, place);
      else if (text === ')' || text === ']' || text === '}') this.closes(start, end, text);
      else if (text === ';' && !this.open.length) this.stop = start;
      else if (text === ',' && this.open.length) {
        this.ends();
        this.open.at(-1).commas.push(start);
      } else if ((text === '++' || text === '--') && this.operand) this.member = null;
      else {
        if (text === '...' && this.open.length) this.open.at(-1).spread = true;
        this.ends();
        this.isNew = null;
      }
      return place;
    }

    dot(start, end, text, place) {
      const next = this.tokens[place + 1];
      const optional = text === '?.';
      if (!optional || next?.[0] === 'word') {
        this.dotted = { start, optional };
        return place;
      }
      if (this.extended && this.operand) {
        const { member } = this;
        if (next?.[3] === '(' && member && member.name in this.extensions && !member.linked) {
          this.edit(member.start, member.end, `,${JSON.stringify(member.name)})`);
          this.operand.head.text += '$$.optional(';
        }
        // A function that is called in a link is a method of nothing.
        this.link(start, end, '', next?.[3] === '(' ? '({$$v}).$$v' : '$$v');
      }
      this.member = null;
      return place;
    }

    push(mark, start, more) {
      this.open.push({ mark, start, operand: this.operand, commas: [], ...more });
      this.operand = null;
      this.member = null;
      this.isNew = null;
    }

    opens(start, end, text, place) {
      const { operand, member, choice } = this;
      const isHead = this.head;
      this.head = false;
      this.choice = null;
      if (text === '(' && choice && choice === operand) {
        this.push(text, start, { choice: operand });
      } else if (text === '(' && operand && member && member.name in this.extensions && this.extended && !isHead) {
        operand.head.text += '$$.extend(';
        if (member.linked) this.edit(member.end, end, `,${JSON.stringify(member.name)},[`);
        else this.edit(member.start, end, `,${JSON.stringify(member.name)},[`);
        this.push(text, start, { call: true });
      } else if (text === '[' && operand) {
        this.push(text, start, { key: this.computed(place, end) });
      } else {
        if (!operand) this.begins(start);
        this.push(text, start, { isHead });
      }
    }

    // Whether the name of a member is computed, and has to be looked at when it is known.
    computed(place, end) {
      const [kind, , , text] = this.tokens[place + 1] ?? [];
      if (kind === 'value' && this.tokens[place + 2]?.[3] === ']') {
        const name = text.slice(1, -1);
        if (FORBIDDEN.has(name)) throw refuse(name);
        return false;
      }
      this.edit(end, end, '$$.key(');
      return true;
    }

    close(mark) {
      this.ends();
      const bracket = this.open.at(-1);
      if (bracket?.mark !== mark) return {};
      this.open.pop();
      this.operand = bracket.operand;
      return bracket;
    }

    closes(start, end, text) {
      const last = this.open.at(-1)?.mark;
      const bracket = CLOSES[last] === text ? this.close(last) : {};
      if (bracket.call) this.edit(start, end, '])');
      if (bracket.key) this.edit(start, start, ')');
      if (bracket.choice) this.chosen(bracket, start, end);
      if (bracket.isHead) this.operand = null;
    }

    // `$if(a, b, c)` as `((a)?(b):(c))`
    chosen({ choice, start, commas, spread }, close, end) {
      if (spread) return;
      const [first, second, third] = commas;
      if (first === undefined) throw SHORT;
      this.edit(choice.start, start + 1, '((');
      this.edit(first, first + 1, ')?(');
      if (second === undefined) this.edit(close, end, '):false)');
      else {
        this.edit(second, second + 1, '):(');
        const rest = third ?? close;
        this.edit(rest, end, '))');
      }
    }

    text() {
      const { source, edits } = this;
      const all = source.slice(0, this.stop ?? source.length);
      let made = '';
      let done = 0;
      edits.sort(([a, b], [c, d]) => a - c || b - d);
      for (const [from, to, text] of edits) {
        if (from < done) continue; // inside of what was replaced
        made += all.slice(done, from) + (typeof text === 'string' ? text : text.text);
        done = to;
      }
      return made + all.slice(done);
    }
  }

  let calls = null; // whether a source calls an extension, behind its first text
  // Null for a source that imports, which gives undefined. Raises a `Fault` for what is refused.
  kit.rewritten = (source, extensions) => {
    const tokens = kit.tokens(source);
    calls ??= new RegExp(`(?:\\$if|\\.(?:${Object.keys(extensions).join('|')})\\s*(?:\\?\\.)?)\\s*\\(`);
    const extended = calls.test(source.replace(/["'].*?["']/, ''));
    const rewriter = new Rewriter(source, tokens, extensions, extended);
    const made = rewriter.run();
    return rewriter.nothing ? null : made;
  };
  kit.key = (name) => {
    if (typeof name === 'number') return name;
    const text = String(name);
    if (FORBIDDEN.has(text)) throw refuse(text);
    return text;
  };
  kit.roots.push(MISUSED, SHORT);
});
