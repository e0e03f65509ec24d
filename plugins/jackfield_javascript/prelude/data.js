// The `$` variables over the data of one execution. It comes in lines: the head, the facts, the input items in lists, then
// one line per node that ran. A line is parsed when something first asks for it.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const Hidden = Proxy;
  const { defineProperty } = Object;

  // Lines of one text, which stay, with `head.together` items in each list.
  class TextLines {
    constructor(text) {
      this.text = text;
      this.ends = [];
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) this.ends.push(end);
      this.ends.push(text.length);
    }

    line(number) {
      return this.text.slice(number === 0 ? 0 : this.ends[number - 1] + 1, this.ends[number]);
    }

    // The list with this item, and the index of its first one.
    items(index, { together }) {
      const list = Math.floor(index / together);
      return [this.line(2 + list), list * together];
    }

    node(place, { count, together }) {
      return this.line(2 + Math.ceil(count / together) + place);
    }
  }

  // Lines that are received as they are asked for, and go when they have been.
  class PulledLines {
    constructor() {
      this.lines = [];
      this.starts = [0]; // of each list, and of the one after the last
    }

    pull() {
      this.lines.push(kit.host.nextLine());
    }

    line(number) {
      while (this.lines.length <= number) this.pull();
      const line = this.lines[number];
      this.lines[number] = null;
      return line;
    }

    // Receive lists until one has this item.
    reach(index) {
      while (this.starts.at(-1) <= index) {
        this.pull();
        this.starts.push(this.starts.at(-1) + kit.host.itemsOfLine());
      }
    }

    items(index) {
      this.reach(index);
      let list = this.starts.length - 2;
      while (this.starts[list] > index) list--;
      return [this.line(2 + list), this.starts[list]];
    }

    node(place, { count }) {
      this.reach(count - 1);
      return this.line(2 + this.starts.length - 1 + place);
    }
  }

  // What is empty is not in the head that comes. Nothing changes these; `static`, which scripts change, is made by who asks.
  const EMPTY = Object.freeze({ __proto__: null, count: 0, nodes: [], paired: {}, timezone: 'UTC', now: 0, known: [], extra: {}, source: '', sources: [], indexes: [] });
  const { setPrototypeOf } = Object;

  class Data {
    constructor(lines) {
      this.lines = lines;
      this.index = 0;
      this.forget();
    }

    parse(line) {
      return JSON.parse(line);
    }

    // Drop what was parsed: something may have changed it.
    forget() {
      this.head = setPrototypeOf(this.parse(this.lines.line(0)), EMPTY);
      this.rare = { facts: null };
      this.items = [];
      this.whole = false;
      this.nodes = { __proto__: null };
      this.places = { __proto__: null };
      this.head.nodes.forEach((name, place) => (this.places[name] = place));
    }

    // The workflow, the execution, the running node and what else few sources read.
    get facts() {
      return (this.rare.facts ??= this.parse(this.lines.line(1)));
    }

    item(index) {
      if (!Number.isInteger(index) || index < 0 || index >= this.head.count) return undefined;
      if (this.items[index] === undefined) this.enter(index);
      return this.items[index];
    }

    // Parse the items of one line; those that are there stay.
    enter(index) {
      const [line, first] = this.lines.items(index, this.head);
      this.parse(line).forEach((item, place) => (this.items[first + place] ??= item));
    }

    // The item is done with; keeping it is worth its memory only if something reads them all.
    leave(index) {
      if (!this.whole) this.items[index] = undefined;
    }

    all() {
      this.whole = true;
      const items = [];
      for (let i = 0; i < this.head.count; i++) items.push(this.item(i));
      return items;
    }

    node(name) {
      const place = this.places[name];
      return place === undefined ? undefined : (this.nodes[name] ??= this.parse(this.lines.node(place, this.head)));
    }

    at(index) {
      const moved = Object.create(this);
      moved.index = index;
      return moved;
    }
  }

  class Ran {
    constructor(data, name) {
      this.data = data;
      this.name = name;
      this.node = data.node(name);
    }

    run(number) {
      if (!this.node) throw new Fault(this.absence());
      const runs = this.node.runs;
      return runs[number === undefined || number < 0 ? runs.length - 1 : number];
    }

    // The node's memory: the running node's own as it is now, nothing for a node that has not run yet.
    memory() {
      const { known } = this.data.head;
      const { node } = this.data.facts;
      if (this.name === node.name) return node.context ?? {};
      return !this.node && known.includes(this.name) ? {} : (this.run().context ?? {});
    }

    absence() {
      const { known } = this.data.head;
      return known.length && !known.includes(this.name)
        ? `There is no node '${this.name}' in this workflow.`
        : `The node '${this.name}' has not run, so that its data can't be read.`;
    }

    // The items of an output, by default the one that leads to the running node.
    items(branch, number) {
      const run = this.run(number);
      if (!run) throw new Fault(`The node '${this.name}' has no run ${number}.`);
      return run.outputs?.[branch ?? this.node.output ?? 0] ?? [];
    }

    matching(index) {
      this.run();
      const [output, place, run] = this.data.head.paired[this.name]?.[index] ?? [];
      const item = output === undefined ? undefined : this.run(run)?.outputs?.[output]?.[place];
      if (item) return item;
      throw new Fault(
        `Item ${index} can't be traced back to an item of the node '${this.name}'. ` +
          'Use .first(), .last() or .all()[index] instead, or keep pairedItem in the nodes between.',
      );
    }

    sameIndex() {
      const item = this.items()[this.data.index];
      if (item) return item;
      throw new Fault(`The node '${this.name}' has no item ${this.data.index}.`);
    }
  }

  // What is no data of an item is there, and prints as nothing.
  const hidden = (members) => {
    const made = {};
    kit.hide(made, members);
    return made;
  };

  function reference(data, given) {
    if (given === undefined || given === '') return {};
    const name = String(given);
    const ran = new Ran(data, name);
    const { known } = data.head;
    if (!ran.node && known.length && !known.includes(name)) throw new Fault(ran.absence());
    const matching = (index = data.index) => ran.matching(index);
    return hidden({
      get item() {
        return ran.matching(data.index);
      },
      get params() {
        return ran.run().params ?? {};
      },
      get context() {
        return ran.memory();
      },
      get isExecuted() {
        return ran.node !== undefined;
      },
      first: (branch, run) => ran.items(branch, run)[0],
      last: (branch, run) => ran.items(branch, run).at(-1),
      all: (branch, run) => ran.items(branch, run),
      itemMatching(index) {
        if (index === undefined) throw new Fault('itemMatching() needs the index of an item.');
        return matching(index);
      },
      pairedItem: matching,
    });
  }

  // Files without their content, which scripts read in other ways.
  const filesOf = (item) =>
    Object.fromEntries(Object.entries(item?.binary ?? {}).map(([name, { data, ...file }]) => [name, file]));

  function byName(data, name) {
    const ran = new Ran(data, name);
    const found = {
      get binary() {
        return filesOf(ran.sameIndex());
      },
      get data() {
        return ran.sameIndex().json;
      },
      get json() {
        return ran.sameIndex().json;
      },
    };
    kit.hide(found, {
      get parameter() {
        return ran.run().params ?? {};
      },
      get context() {
        return ran.memory();
      },
      get runIndex() {
        return ran.run() && ran.node.runs.length - 1;
      },
    });
    return found;
  }

  const closed = { set: () => false, defineProperty: () => false, deleteProperty: () => false };

  const nodesByName = (data) =>
    new Hidden(Object.freeze({ __proto__: null }), {
      ...closed,
      get: (_, name) => (typeof name === 'string' ? byName(data, name) : undefined),
    });

  const previous = (data) => data.facts.node.previous ?? {};

  const alone = (name, values) => {
    if (values.length) throw new Fault(`$input.${name}() takes no arguments; $('Node').${name}() reads the items of another node.`);
  };
  const input = (data) => ({
    all: () => data.all(),
    get context() {
      return (data.facts.node.context ??= {});
    },
    first(...values) {
      alone('first', values);
      return data.item(0);
    },
    get item() {
      return data.item(data.index);
    },
    last(...values) {
      alone('last', values);
      return data.item(data.head.count - 1);
    },
    get params() {
      return data.node(previous(data).name)?.runs.at(-1)?.params ?? {};
    },
  });

  const itemsOf = (data) => (name, output, run) =>
    name === undefined || (name === previous(data).name && !output && run === undefined) ? data.all() : new Ran(data, String(name)).items(output ?? 0, run);

  function execution(data) {
    const custom = (data.facts.execution.customData ??= {});
    const customData = {
      set: (key, value) => void (custom[key] = value),
      setAll: (values) => void Object.assign(custom, values),
      get: (key) => custom[key],
      getAll: () => custom,
    };
    const { customData: _, ...facts } = data.facts.execution;
    return { ...facts, customData };
  }

  const isBare = (value) => typeof value === 'object' && Object.keys(value).length === 0;
  const isEmpty = (value) => value === undefined || value === null || value === '' || isBare(value);
  function average(...values) {
    if (values.some((value) => typeof value !== 'number')) throw new Fault('$average() needs numbers alone.');
    return values.length ? values.reduce((total, value) => total + value, 0) / values.length : 0;
  }
  function numberList(start, end) {
    const step = start < end ? 1 : -1;
    return Array.from({ length: Math.abs(start - end) + 1 }, (_, place) => start + step * place);
  }
  function zip(keys, values) {
    if (!Array.isArray(keys) || !Array.isArray(values) || keys.length !== values.length) {
      throw new Fault('zip() needs two lists of the same length.');
    }
    return Object.fromEntries(keys.map((key, place) => [key, values[place]]));
  }
  function toPathSegment(value) {
    const text = String(value ?? '');
    if (['', '.', '..'].includes(text)) throw new Fault(`toPathSegment() makes no segment of a path of '${text}'.`);
    return encodeURIComponent(text);
  }
  const QUERY = /\\|\b(?:__proto__|prototype|constructor|[gs]etPrototypeOf|getOwnPropertyDescriptors?|definePropert(?:y|ies)|mainModule|binding|_linkedBinding|_load|prepareStackTrace|__(?:lookup|define)[GS]etter__|calle[re]|arguments|getBuiltinModule|dlopen|execve|loadEnvFile)\b/;
  function jmespath(value, query) {
    if (typeof value !== 'object' || typeof query !== 'string') {
      throw new Fault('$jmespath() needs an object and the text of a query, in this order.');
    }
    if (QUERY.test(query)) throw new Fault('The query of $jmespath() names a property that no query may read.');
    return kit.jmespath().search(Array.isArray(value) ? value : { ...value }, query);
  }

  const FUNCTIONS = {
    $ifEmpty(...values) {
      if (values.length !== 2) throw new Fault('$ifEmpty() needs a value and another one for when it is empty.');
      return isEmpty(values[0]) ? values[1] : values[0];
    },
    $min: Math.min,
    $max: Math.max,
    $average: average,
    $not: (value) => !value,
    $jmespath: jmespath,
    $jmesPath: jmespath,
  };
  // The names without a sign that expressions have beside.
  const PLAIN = { min: Math.min, max: Math.max, not: FUNCTIONS.$not, average, numberList, zip, toPathSegment };

  // What a model gave for a tool's parameter; outside of tools there is nothing but the default.
  const fromAI = (data) => (name, description, type, fallback) => {
    if (!name || !/^[\w-]{0,64}$/.test(name)) throw new Fault('$fromAI() needs a key of at most 64 letters, digits, _ and -.');
    const given = data.head.extra?.$fromAIArguments ?? {};
    return Object.hasOwn(given, String(name)) ? given[String(name)] : fallback;
  };

  // The call that a person is asked about.
  const tool = (data) => {
    const given = data.head.extra?.$fromAIArguments;
    return given ? { name: given.tool, parameters: given.toolParameters } : {};
  };

  const now = (data) => kit.luxon().DateTime.fromMillis(data.head.now || Date.now());

  // The running node's parameters; one that is an expression is evaluated when it is read.
  function parameters(data) {
    const made = {};
    for (const [name, value] of Object.entries(data.facts.node.parameters ?? {})) {
      const isTemplate = kit.template && typeof value === 'string' && value.startsWith('=');
      defineProperty(made, name, {
        get: () => (!isTemplate ? value : value.includes(`$parameter.${name}`) ? undefined : kit.template(value.slice(1))),
        enumerable: true,
        configurable: true,
      });
    }
    return made;
  }
  const MODES = { __proto__: null, test: 'manual' };

  // Name -> how its value is found.
  const VARIABLES = {
    __proto__: null,
    $json: (data) => (data.item(data.index) ?? { json: {} }).json,
    $data: (data) => (data.item(data.index) ?? { json: {} }).json,
    $binary: (data) => filesOf(data.item(data.index)),
    $input: input,
    $: (data) => (name) => reference(data, name),
    $node: nodesByName,
    $items: itemsOf,
    $item: (data) => (index) => view(data.at(index)),
    $itemIndex: (data) => data.index,
    $position: (data) => data.index,
    $runIndex: (data) => data.facts.node.runIndex ?? 0,
    $prevNode: (data) => ({ name: undefined, outputIndex: 0, runIndex: 0, ...previous(data) }),
    $env: (data) => data.facts.environment,
    $vars: (data) => data.facts.variables,
    $secrets: (data) => data.facts.secrets,
    $self: () => ({}),
    $tool: tool,
    $now: now,
    $today: (data) => now(data).startOf('day'),
    $workflow: (data) => data.facts.workflow,
    $execution: execution,
    $executionId: (data) => data.facts.execution.id,
    $parameter: parameters,
    $rawParameter: (data) => data.facts.node.parameters ?? {},
    $nodeVersion: (data) => data.facts.node.version ?? undefined,
    $nodeId: (data) => data.facts.node.id,
    $webhookId: (data) => data.facts.node.webhookId ?? undefined,
    $mode: (data) => MODES[data.facts.execution.mode] ?? data.facts.execution.mode,
    $resumeWebhookUrl: (data) => data.facts.execution.resumeUrl,
    $thisItem: (data) => data.item(data.index),
    $thisItemIndex: (data) => data.index,
    $thisRunIndex: (data) => data.facts.node.runIndex ?? 0,
    DateTime: () => kit.luxon().DateTime,
    Duration: () => kit.luxon().Duration,
    Interval: () => kit.luxon().Interval,
  };
  VARIABLES.$fromAI = VARIABLES.$fromAi = VARIABLES.$fromai = fromAI;
  for (const [name, value] of Object.entries(FUNCTIONS)) VARIABLES[name] = () => value;

  // Every variable as a getter of one object.
  function expose(target, find) {
    for (const name of Object.keys(VARIABLES)) {
      defineProperty(target, name, {
        get: () => VARIABLES[name](find()),
        set(value) {
          defineProperty(target, name, { value, writable: true, configurable: true });
        },
        configurable: true,
      });
    }
    return target;
  }
  const view = (data) => expose({}, () => data);

  Object.assign(kit, { Data, TextLines, PulledLines, VARIABLES, PLAIN, expose });
  kit.roots.push(FUNCTIONS, PLAIN);
});
