// luxon, set up for this engine: its zones ask the host, its default zone is the workflow's, and it speaks English unless
// told otherwise. Compiled when a script first asks for a date with a time zone.
(function (kit) {
  'use strict';

  const { offsetAt, compile, textOf } = kit;
  const { freeze } = Object;

  // luxon's Intl: ours, once luxon needs it, which plain English formats never do.
  const Intl = {};
  for (const name of ['DateTimeFormat', 'NumberFormat', 'ListFormat', 'RelativeTimeFormat', 'Locale']) {
    kit.hide(Intl, {
      get [name]() {
        return kit.intl().Intl[name];
      },
    });
  }
  const { keys, entries, is, getOwnPropertyNames, prototype, assign } = Object;
  const defineProperty = (target, name, { value }) => ((target[name] = value), target);
  const Plain = { keys, entries, is, getOwnPropertyNames, prototype, assign, defineProperty };

  // luxon keeps and shows the patterns that it makes. One that holds a place has to stay as it is; none of these is shown.
  function Pattern(source, flags) {
    const made = new RegExp(source, flags);
    return made.global ? made : freeze(made);
  }

  const text = textOf('vendor/luxon');
  const names = [...text.matchAll(/(?:^(?:class|const) |,\n  )([\w$]+)(?= =| \{| extends)/gm)].map(([, name]) => name);
  const load = compile(`(function (exports, Object, Intl, RegExp) { ${text}\nreturn [${names}]; })`);
  const luxon = {};
  const inside = load(luxon, Plain, Intl, Pattern);
  const { DateTime, Duration, Interval, Settings, IANAZone, SystemZone, FixedOffsetZone } = luxon;

  IANAZone.isValidZone = (zone) => Boolean(zone) && offsetAt(zone, 0) !== null;
  const create = IANAZone.create.bind(IANAZone);
  IANAZone.create = (name) => freeze(create(name));
  IANAZone.prototype.offset = function (millis) {
    return this.valid && Number.isFinite(millis) ? offsetAt(this.zoneName, millis) : NaN;
  };
  SystemZone.prototype.offset = (millis) => (Number.isFinite(millis) ? offsetAt(kit.timezone(), millis) : NaN);
  Settings.defaultLocale = 'en-US';

  // A zone is set before each evaluation, as the present one may be another workflow's.
  let zone = null;
  function useZone() {
    const wanted = kit.timezone();
    if (zone !== wanted) Settings.defaultZone = zone = wanted;
  }
  useZone();

  kit.dates = { luxon, DateTime, Duration, Interval };
  kit.useZone = useZone;
  const shown = inside.filter((value) => !(value instanceof RegExp)); // a frozen pattern can't keep its place
  kit.roots.push(luxon, ...shown, SystemZone.instance, FixedOffsetZone.utcInstance, Intl);
});
