// What expressions may call on numbers, objects and booleans.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const nothing = () => undefined;
  const round = (value, places = 0) => +value.toFixed(places);

  function whole(value, name) {
    if (!Number.isInteger(value)) throw new Fault(`${name}() needs a whole number.`);
    return Math.abs(value);
  }

  kit.methods.NUMBER = {
    ceil: (value) => Math.ceil(value),
    floor: (value) => Math.floor(value),
    format: (value, locales = 'en-US', options = {}) => new (kit.intl().Intl.NumberFormat)(locales, options).format(value),
    round,
    abs: (value) => Math.abs(value),
    isInteger: (value) => Number.isInteger(value),
    isEven: (value) => whole(value, 'isEven') % 2 === 0,
    isOdd: (value) => whole(value, 'isOdd') % 2 === 1,
    toBoolean: (value) => value !== 0,
    toInt: (value) => round(value),
    toFloat: (value) => value,
    toDateTime: (value, unit) => kit.numberToDateTime(value, unit),
  };

  const number = (value) => (value ? 1 : 0);
  kit.methods.BOOLEAN = { toBoolean: (value) => value, toInt: number, toFloat: number, toNumber: number, toDateTime: nothing };

  function without(object, drop) {
    const made = { ...object };
    for (const [name, value] of Object.entries(object)) if (drop(value)) delete made[name];
    return made;
  }
  const contains = (value, text) => typeof value === 'string' && value.includes(text);
  function text(given, name) {
    if (typeof given !== 'string' || given === '') throw new Fault(`${name}() needs a text that is not empty.`);
    return given;
  }

  function removeField(object, name) {
    if (!(name in object)) return object;
    const made = { ...object };
    delete made[name];
    return made;
  }

  kit.methods.OBJECT = {
    isEmpty: (object) => Object.keys(object).length === 0,
    isNotEmpty: (object) => Object.keys(object).length > 0,
    hasField: (object, name) => name in object,
    removeField,
    removeFieldsContaining: (object, given) => {
      text(given, 'removeFieldsContaining');
      return without(object, (value) => contains(value, given));
    },
    keepFieldsContaining: (object, given) => {
      text(given, 'keepFieldsContaining');
      return without(object, (value) => !contains(value, given));
    },
    compact: (object) => kit.compactObject(object),
    urlEncode: (object) => new (kit.url().URLSearchParams)(object).toString(),
    keys: (object) => Object.keys(object),
    values: (object) => Object.values(object),
    toJsonString: (object) => JSON.stringify(object),
    toInt: nothing,
    toFloat: nothing,
    toBoolean: nothing,
    toDateTime: nothing,
  };
});
