import { describe, expect, it } from 'vitest';
import { below, configOf, draftOf, fieldErrors, fresh, KINDS, targetParts, told } from './model';

const CONFIG = {
  enabled: true,
  port: null,
  routing: {
    strategy: 'Weighted',
    rules: [
      { name: 'b', condition: { type: 'always' }, target: 'groq/openai/gpt', priority: 9, weight: 2 },
      {
        name: 'a',
        condition: { type: 'any', conditions: [{ type: 'image' }] },
        target: 'x/y',
        priority: 1,
        fallback: true,
      },
    ],
    sticky: { ttl: 60 },
  },
  model_aliases: { 'a.b[0]': 'x/y' },
  providers: { x: { max_concurrent: 4 } },
  budgets: { day: { usd: 5 } },
};

describe('a draft', () => {
  it('stores what it was made of', () => {
    expect(configOf(draftOf(CONFIG))).toEqual(CONFIG);
  });

  it('of nothing is a valid configuration', () => {
    const rules = { strategy: 'Conditional', rules: [] };
    expect(configOf(draftOf({}))).toEqual({ enabled: true, port: null, routing: rules, model_aliases: {} });
  });

  it('shows the highest priority first', () => {
    const [low, high] = [
      { name: 'low', priority: 1 },
      { name: 'high', priority: 5 },
    ];
    expect(draftOf({ routing: { rules: [low, high] } }).rules.map(({ name }) => name)).toEqual(['high', 'low']);
  });
});

it('a target’s model may have slashes', () => {
  expect(targetParts('groq/openai/gpt')).toEqual({ provider: 'groq', model: 'openai/gpt' });
});

it('every kind of condition is said in words', () => {
  for (const { type } of KINDS) expect(told(fresh(type))).not.toBe(type);
  const nested = {
    type: 'all',
    conditions: [fresh('image'), { type: 'any', conditions: [fresh('always'), fresh('thinking')] }],
  };
  expect(told({ type: 'not', condition: nested })).toBe('not: (has an image and (every request or asks for thinking))');
});

it('errors are found at their path, and patterns are said in words', () => {
  const errors = fieldErrors({
    'proxy_config.routing.rules[1].target': "String should match pattern '^x$'",
    'proxy_config.routing.rules[1].name': 'String should have at least 1 character',
  });
  expect(errors['routing.rules[1].target']).toBe('Choose a provider and a model.');
  expect(below(errors, 'routing.rules[1]')).toBe(true);
  expect(below(errors, 'routing.rules[10]')).toBe(false);
});
