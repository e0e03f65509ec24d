import { expect, it } from 'vitest';
import { given, webAddress } from './credentials';

it('sends a window to the web and nowhere else', () => {
  expect(webAddress('https://accounts.example.com/o?x=1')).toBe('https://accounts.example.com/o?x=1');
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', ' JavaScript:x', 'file:///etc/passwd', 'x']) {
    expect(webAddress(bad)).toBeUndefined();
  }
});

it('leaves out what is not set', () => {
  expect(given({ a: '', b: 'x' })).toEqual({ b: 'x' });
});
