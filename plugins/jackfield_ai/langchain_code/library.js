// What a program of a LangChain Code node finds: as much of LangChain.js's interfaces as needs no network, and the parts
// that are attached to the node. A part is asked outside of this worker. The program then ends and runs again with the
// answer, so that it is the same program each time: time and chance are given.
const __given = JSON.parse(__state);
const __asks = new Map();
const __times = new Map();
function __ask(part, method, input) {
  const plain = JSON.stringify([part, method, input]);
  const count = (__times.get(plain) ?? 0) + 1;
  __times.set(plain, count);
  const key = plain + "#" + count;
  if (Object.hasOwn(__given.answers, key)) {
    const found = __given.answers[key];
    return "error" in found ? Promise.reject(new Error(found.error)) : Promise.resolve(found.value);
  }
  __asks.set(key, { key, part, method, input });
  return new Promise(() => {});
}
const __RealDate = Date;
const __Date = class extends __RealDate {
  constructor(...given) { if (given.length) super(...given); else super(__given.now); }
  static now() { return __given.now; }
};
let __seed = __given.seed;
const __Math = Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Math[name]]));
__Math.random = () => {  // mulberry32
  __seed = (__seed + 0x6d2b79f5) | 0;
  let t = Math.imul(__seed ^ (__seed >>> 15), 1 | __seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

class Runnable {
  pipe(next) { return new RunnableSequence([this, next]); }
  async batch(inputs) { return await Promise.all(inputs.map((input) => this.invoke(input))); }
  async *stream(input) { yield await this.invoke(input); }
  withConfig() { return this; }
}
const __runnable = (value) => value instanceof Runnable || typeof value?.invoke === "function" ? value
  : typeof value === "function" ? new RunnableLambda({ func: value }) : new RunnableMap(value);
class RunnableLambda extends Runnable {
  constructor(fields) { super(); this.func = fields.func; }
  static from(func) { return new RunnableLambda({ func }); }
  async invoke(input) { return await this.func(input); }
}
class RunnableMap extends Runnable {
  constructor(steps) { super(); this.steps = steps.steps ?? steps; }
  async invoke(input) {
    const rows = Object.entries(this.steps).map(async ([name, step]) => [name, await __runnable(step).invoke(input)]);
    return Object.fromEntries(await Promise.all(rows));
  }
}
class RunnableSequence extends Runnable {
  constructor(steps) { super(); this.steps = steps; }
  static from(steps) { return new RunnableSequence(steps); }
  pipe(next) { return new RunnableSequence([...this.steps, next]); }
  async invoke(input) {
    let value = input;
    for (const step of this.steps) value = await __runnable(step).invoke(value);
    return value;
  }
}
class RunnablePassthrough extends Runnable {
  static assign(steps) { return RunnableLambda.from(async (input) => ({ ...input, ...(await new RunnableMap(steps).invoke(input)) })); }
  async invoke(input) { return input; }
}
class Message {
  #type;
  constructor(given, type) {
    const fields = typeof given === "string" || Array.isArray(given) ? { content: given } : given;
    Object.assign(this, { additional_kwargs: {}, response_metadata: {} }, fields);
    this.#type = type;
  }
  _getType() { return this.#type; }
  getType() { return this.#type; }
  get text() { return typeof this.content === "string" ? this.content : this.content.map((part) => part.text ?? "").join(""); }
  toString() { return this.text; }
}
class HumanMessage extends Message { constructor(given) { super(given, "human"); } }
class AIMessage extends Message { constructor(given) { super(given, "ai"); this.tool_calls ??= []; } }
class SystemMessage extends Message { constructor(given) { super(given, "system"); } }
const __ROLES = { human: HumanMessage, user: HumanMessage, ai: AIMessage, assistant: AIMessage, system: SystemMessage };
const __TYPES = { human: "user", ai: "assistant", system: "system" };
function __messages(input) {
  if (typeof input === "string") return [new HumanMessage(input)];
  if (input instanceof PromptValue) return input.messages;
  if (!Array.isArray(input)) throw new Error("A model takes a text, messages or a prompt.");
  return input.flatMap((one) => {
    if (typeof one === "string") return [new HumanMessage(one)];
    if (one instanceof Message) return [one];
    const [role, content] = Array.isArray(one) ? one : [one.role ?? one.type, one.content];
    if (!Object.hasOwn(__ROLES, role)) throw new Error(`A message has no role ${role}.`);
    return [new __ROLES[role](content)];
  });
}
function __filled(template, values) {
  return template.replace(/\{\{|\}\}|\{([^{}]+)\}/g, (whole, name) => {
    if (name === undefined) return whole[0];
    const key = name.trim();
    if (!(key in (values ?? {}))) throw new Error(`Missing value for input variable \`${key}\``);
    return typeof values[key] === "string" ? values[key] : JSON.stringify(values[key]);
  });
}
class PromptValue {
  constructor(messages, text) { this.messages = messages; this.value = text; }
  toString() { return this.value ?? this.messages.map((one) => `${one._getType()}: ${one.text}`).join("\n"); }
  toChatMessages() { return this.messages; }
}
class PromptTemplate extends Runnable {
  constructor(fields) { super(); this.template = fields.template; this.partialVariables = fields.partialVariables ?? {}; }
  static fromTemplate(template, more) { return new this({ ...more, template }); }
  async format(values) { return __filled(this.template, { ...this.partialVariables, ...values }); }
  async partial(values) { return new this.constructor({ template: this.template, partialVariables: { ...this.partialVariables, ...values } }); }
  async formatPromptValue(values) { const text = await this.format(values); return new PromptValue([new HumanMessage(text)], text); }
  async invoke(values) { return await this.formatPromptValue(values); }
}
class MessagesPlaceholder {
  constructor(fields) { Object.assign(this, typeof fields === "string" ? { variableName: fields } : fields); }
  make(values) {
    if (!(this.variableName in (values ?? {}))) { if (this.optional) return []; throw new Error(`Missing value for input variable \`${this.variableName}\``); }
    return __messages(values[this.variableName]);
  }
}
class MessageTemplate {
  constructor(template, type) { this.template = template; this.type = type; }
  make(values) { return [new __ROLES[this.type](__filled(this.template, values))]; }
}
const __templates = (type) => class { static fromTemplate(template) { return new MessageTemplate(template, type); } };
class ChatPromptTemplate extends Runnable {
  constructor(parts) { super(); this.parts = parts.promptMessages ?? parts; }
  static fromMessages(parts) {
    return new ChatPromptTemplate(parts.map((part) => {
      if (typeof part.make === "function") return part;
      if (part instanceof Message) return { make: () => [part] };
      const [role, template] = Array.isArray(part) ? part : [part.role ?? part.type, part.content];
      if (role === "placeholder") return new MessagesPlaceholder({ variableName: template.replace(/[{}]/g, ""), optional: true });
      if (!Object.hasOwn(__ROLES, role)) throw new Error(`A message has no role ${role}.`);
      return new MessageTemplate(template, role);
    }));
  }
  static fromPromptMessages(parts) { return ChatPromptTemplate.fromMessages(parts); }
  static fromTemplate(template) { return new ChatPromptTemplate([new MessageTemplate(template, "human")]); }
  async formatMessages(values) { return this.parts.flatMap((part) => part.make(values)); }
  async invoke(values) { return new PromptValue(await this.formatMessages(values)); }
  async formatPromptValue(values) { return await this.invoke(values); }
  async format(values) { return (await this.invoke(values)).toString(); }
}
const __text = (value) => typeof value === "string" ? value : value instanceof Message ? value.text : String(value);
class StringOutputParser extends Runnable { async invoke(input) { return __text(input); } async parse(text) { return text; } }
class JsonOutputParser extends Runnable {
  async invoke(input) { return await this.parse(__text(input)); }
  async parse(text) { const inner = /```(?:json)?\s*([\s\S]*?)```/.exec(text); return JSON.parse((inner ? inner[1] : text).trim()); }
}
class CommaSeparatedListOutputParser extends Runnable {
  async invoke(input) { return __text(input).split(",").map((part) => part.trim()); }
  getFormatInstructions() { return "Your response should be a list of comma separated values, eg: `foo, bar, baz`"; }
}
class Document { constructor(fields) { this.pageContent = fields.pageContent ?? ""; this.metadata = fields.metadata ?? {}; if (fields.id) this.id = fields.id; } }

class Model extends Runnable {
  #part;
  constructor(part, known) { super(); this.#part = part; this.model = this.modelName = known.name; }
  async invoke(input) {
    const rows = __messages(input).map((one) => [__TYPES[one._getType()], one.text]);
    const answer = await __ask(this.#part, "complete", rows);
    return new AIMessage({ content: answer.text, usage_metadata: { input_tokens: answer.input, output_tokens: answer.output, total_tokens: answer.input + answer.output } });
  }
  async call(input) { return await this.invoke(input); }
  async predict(text) { return (await this.invoke(text)).text; }
}
class Tool extends Runnable {
  #part;
  constructor(part, known) { super(); this.#part = part; this.name = known.name; this.description = known.description; this.schema = known.schema; }
  async invoke(input) { return await __ask(this.#part, "call", typeof input === "object" ? input : { input }); }
  async call(input) { return await this.invoke(input); }
}
class Retriever extends Runnable {
  #part;
  constructor(part, limit) { super(); this.#part = part; this.k = limit ?? null; }
  async invoke(query) { return (await __ask(this.#part, "find", [query, this.k])).map((row) => new Document(row)); }
  async getRelevantDocuments(query) { return await this.invoke(query); }
  asRetriever(limit) { return new Retriever(this.#part, typeof limit === "object" ? limit?.k : limit); }
  async similaritySearch(query, limit = 4) { return await new Retriever(this.#part, limit).invoke(query); }
  async similaritySearchWithScore(query, limit = 4) { return (await __ask(this.#part, "find", [query, limit])).map((row) => [new Document(row), row.score]); }
}
class Memory {
  #part;
  constructor(part) { this.#part = part; this.chatHistory = { getMessages: () => this.messages() }; }
  async messages() { return (await __ask(this.#part, "read", null)).map(([role, text]) => new __ROLES[role](text)); }
  async loadMemoryVariables() { return { chat_history: await this.messages() }; }
  async saveContext(input, output) { await __ask(this.#part, "add", [__text(Object.values(input)[0]), __text(Object.values(output)[0])]); }
}
class Embeddings {
  #part;
  constructor(part) { this.#part = part; }
  async embedDocuments(texts) { return await __ask(this.#part, "embed", texts); }
  async embedQuery(text) { return (await this.embedDocuments([text]))[0]; }
}
class Loader { #part; constructor(part) { this.#part = part; } async load() { return (await __ask(this.#part, "load", null)).map((row) => new Document(row)); } }
class Splitter {
  #part;
  constructor(part) { this.#part = part; }
  async splitText(text) { return await __ask(this.#part, "split", text); }
  async splitDocuments(documents) {
    const rows = await Promise.all(documents.map(async (one) => (await this.splitText(one.pageContent)).map((pageContent) => new Document({ ...one, pageContent }))));
    return rows.flat();
  }
}
const __PARTS = {
  ai_languageModel: Model, ai_tool: Tool, ai_memory: Memory, ai_embedding: Embeddings, ai_document: Loader,
  ai_textSplitter: Splitter, ai_vectorStore: Retriever, ai_retriever: Retriever,
};
const __core = {
  prompts: { PromptTemplate, ChatPromptTemplate, MessagesPlaceholder, SystemMessagePromptTemplate: __templates("system"), HumanMessagePromptTemplate: __templates("human"), AIMessagePromptTemplate: __templates("ai") },
  messages: { HumanMessage, AIMessage, SystemMessage },
  output_parsers: { StringOutputParser, JsonOutputParser, CommaSeparatedListOutputParser },
  runnables: { RunnableSequence, RunnableLambda, RunnablePassthrough, RunnableMap, RunnableParallel: RunnableMap },
  documents: { Document },
};
function __require(name) {
  const found = /^(?:@langchain\/core|langchain)\/(?:schema\/)?(\w+)$/.exec(name)?.[1].replace(/^output_parser$/, "output_parsers").replace(/^runnable$/, "runnables").replace(/^document$/, "documents");
  if (found && Object.hasOwn(__core, found)) return __core[found];
  if (name === "langchain/schema") return { ...__core.messages, ...__core.documents };
  throw new Error(`The module ${name} is not available here; there are @langchain/core/${Object.keys(__core).join(", @langchain/core/")}. Attach models, tools, memories and stores to the node instead.`);
}
const __this = {
  getInputConnectionData: async (kind) => {
    const made = (__given.parts[kind] ?? []).map((known, place) => new __PARTS[kind](`${kind}.${place}`, known));
    if (!made.length && __given.required.includes(kind)) throw new Error(`The node needs something at its input ${kind}; attach it.`);
    return __given.single.includes(kind) ? made[0] : made;
  },
  getInputData: () => $input.all(),
  getNode: () => __given.node,
  getNodeOutputs: () => __given.outputs,
  addInputData: () => ({ index: 0 }),
  addOutputData: () => {},
  getExecutionCancelSignal: () => undefined,
  logger: { info: (...given) => console.log(...given), warn: (...given) => console.log(...given), error: (...given) => console.log(...given), debug: () => {} },
};
let __done = false;
const __ended = __main.call(__this, __require, __Date, __Math).then((value) => { __done = true; return { value: value === undefined ? null : value }; });
const __stuck = (async () => {
  for (let still = 0, before = 0; still < 1000 && !__done; still++) { await null; if (__asks.size !== before) { before = __asks.size; still = 0; } }
  if (__done || !__asks.size) return await __ended;
  return { asks: [...__asks.values()] };
})();
return [{ json: await Promise.race([__ended, __stuck]) }];
