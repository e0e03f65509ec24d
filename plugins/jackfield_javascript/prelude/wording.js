// The engine's own error texts, and those of V8 in their place.
(function (kit) {
  'use strict';

  const { argumentAt, calleeAt, foundAt, imports, invalidPattern, notAFunction, notIterable, wordAt } = kit.calls;

  const BY_FUNCTION = {
    __proto__: null,
    toFixed: 'toFixed() digits argument must be between 0 and 100',
    toPrecision: 'toPrecision() argument must be between 1 and 100',
    toExponential: 'toExponential() argument must be between 0 and 100',
  };
  const called = (frames) => frames[0]?.name ?? '';
  const argument = (frames) => (frames[1] && !frames[1].native ? argumentAt(frames[1]) : '');
  // Text of the engine -> text of V8, or null to keep it.
  const TEXTS = [
    [/^cannot read property 'Symbol\.iterator' of (null|undefined)$/, (frames, what) => notIterable(frames, what)],
    [/^cannot read property '(.*)' of (null|undefined)$/s, (_, name, what) => `Cannot read properties of ${what} (reading '${name}')`],
    [/^cannot set property '(.*)' of (null|undefined)$/s, (_, name, what) => `Cannot set properties of ${what} (setting '${name}')`],
    [/^not a function$/, (frames) => notAFunction(frames)],
    [/^not a constructor$/, (frames) => frames[0] && !frames[0].native ? `${calleeAt(frames[0])} is not a constructor` : null],
    [/^value is not iterable$/, (frames) => notIterable(frames, null)],
    [/^'(.*)' is read-only$/, () => 'Assignment to constant variable.'],
    [/^(.+) is not initialized$/, (_, name) => `Cannot access '${name}' before initialization`],
    [/^empty array$/, () => 'Reduce of empty array with no initial value'],
    [/^invalid repeat count$/, (frames) => `Invalid count value: ${argument(frames)}`],
    [/^Date value is NaN$/, () => 'Invalid time value'],
    [/^invalid array length$/, () => 'Invalid array length'],
    [/^invalid number of digits$/, (frames) => BY_FUNCTION[called(frames)] ?? null],
    [/^cannot convert BigInt to number$/, () => 'Cannot mix BigInt and other types, use explicit conversions'],
    [/^expecting hex digit$|^malformed UTF-8$/, () => 'URI malformed'],
    [/^invalid 'instanceof' right operand$/, () => "Right-hand side of 'instanceof' is not callable"],
    [/^class constructors must be invoked with 'new'$/, (frames) => `Class constructor ${called(frames)} cannot be invoked without 'new'`],
    [/^must be called with new$/, (frames) => `${called(frames)} constructor cannot be invoked without 'new'`],
    [/^cannot convert symbol to string$/, () => 'Cannot convert a Symbol value to a string'],
    [/^cannot convert symbol to number$/, () => 'Cannot convert a Symbol value to a number'],
    [/^cannot convert to BigInt: not an integer$/, (frames) => `The number ${argument(frames)} cannot be converted to a BigInt because it is not an integer`],
    [/^invalid BigInt literal$/, (frames) => `Cannot convert ${argument(frames).replace(/^['"]|['"]$/g, '')} to a BigInt`],
    [/^circular reference$/, () => 'Converting circular structure to JSON'],
    [/^BigInt are forbidden in JSON\.stringify$/, () => 'Do not know how to serialize a BigInt'],
    [/^null or undefined are forbidden$/, (frames) => `String.prototype.${called(frames)} called on null or undefined`],
    [/^bad normalization form$/, () => 'The normalization form should be one of NFC, NFD, NFKC, NFKD.'],
    [/^regexp must have the 'g' flag$/, (frames) => `String.prototype.${called(frames)} called with a non-global RegExp argument`],
    [/^regexp not supported$/, (frames) => `First argument to String.prototype.${called(frames)} must not be a regular expression`],
    [/^invalid code point$/, (frames) => `Invalid code point ${argument(frames)}`],
    [/^invalid value used as WeakMap key$/, () => 'Invalid value used as weak map key'],
    [/^invalid array index$/, (frames) => `Invalid typed array length: ${argument(frames)}`],
    [/^expecting '\)'$/, (frames) => invalidPattern(frames, 'Unterminated group')],
    [/^unexpected end$/, (frames) => invalidPattern(frames, 'Unterminated character class')],
    [/^nothing to repeat$/, (frames) => invalidPattern(frames, 'Nothing to repeat')],
    [/^extraneous characters at the end$/, (frames) => invalidPattern(frames, "Unmatched ')'")],
    [/^invalid class range$/, (frames) => invalidPattern(frames, 'Range out of order in character class')],
    [/^invalid group$/, (frames) => invalidPattern(frames, 'Invalid group')],
  ];

  // -- errors of syntax: the engine names what it wants, V8 what it found

  const SYNTAX = [
    [/^unexpected token in expression: '([\\@#]).*'$/s, () => 'Invalid or unexpected token'],
    [/^unexpected token in expression: '(.+)'$/s, (_, token) => `Unexpected token '${token}'`],
    [/^unsupported keyword: (.+)$/, (_, word) => `Unexpected token '${word}'`],
    [/^(?:variable name expected|function name expected|class statement requires a name|expecting '.+')$/, foundAt],
    [/^invalid redefinition of lexical identifier$/, (frames) => `Identifier '${wordAt(frames)}' has already been declared`],
    [/^unexpected end of string$|^invalid number literal$/, () => 'Invalid or unexpected token'],
    [/^'let' is not a valid lexical identifier$/, () => 'let is disallowed as a lexically bound name'],
    [/^invalid assignment left-hand side$/, () => 'Invalid left-hand side in assignment'],
    [/^unexpected line terminator in regexp$/, () => 'Invalid regular expression: missing /'],
    [/^missing initializer for variable$/, () => 'Missing initializer in const declaration'],
    [/^break must be inside loop or switch$/, () => 'Illegal break statement'],
    [/^continue must be inside loop$/, () => 'Illegal continue statement: no surrounding iteration statement'],
    [/^'super' is only valid in a method$/, () => "'super' keyword unexpected here"],
  ];

  // The text of V8, or null to keep the engine's.
  function translated(message, frames, syntax) {
    if (syntax && imports()) return 'Cannot use import statement outside a module';
    for (const [pattern, text] of syntax ? SYNTAX : []) {
      const found = pattern.exec(message);
      if (found) return text(frames, ...found.slice(1));
    }
    for (const [pattern, text] of TEXTS) {
      const found = pattern.exec(message);
      if (found) return text(frames, ...found.slice(1));
    }
    return null;
  }

  kit.translated = translated;
});
