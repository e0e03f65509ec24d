import { expect, it } from 'vitest';
import { curl, filled, maskedNames, ownHeaders, placeholders, queryOf } from './curl';

it('quotes everything for the shell', () => {
  const sent = {
    method: 'POST',
    url: "http://127.0.0.1/webhook/a'b?x=$(id)",
    headers: [['x-a', '`id`'] as const],
    body: "it's\n",
  };
  expect(curl(sent)).toBe(
    "curl -X POST 'http://127.0.0.1/webhook/a'\\''b?x=$(id)' \\\n  -H 'x-a: `id`' \\\n  --data-raw 'it'\\''s\n'",
  );
});

it('leaves out what the client sets and what is masked', () => {
  const headers = { host: 'x', 'content-type': 'text/plain', authorization: '***', 'sec-fetch-site': 'none' };
  expect(ownHeaders(headers)).toEqual([['content-type', 'text/plain']]);
  expect(maskedNames(headers)).toEqual(['authorization']);
});

it('fills the segments of a path', () => {
  expect(placeholders('/a/:id/:name')).toEqual(['id', 'name']);
  expect(filled('/a/:id/:name', { id: 'x/y' })).toBe('/a/x%2Fy/:name');
});

it('reads a query with repeated names', () => {
  expect(queryOf('a=1&a=2&b=&toString=x')).toEqual({ a: ['1', '2'], b: '', toString: 'x' });
});
