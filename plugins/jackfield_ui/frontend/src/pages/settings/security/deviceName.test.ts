import { expect, test } from 'vitest';
import { deviceName } from './deviceName';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

test.each([
  [CHROME, 'Chrome on Linux'],
  [`${CHROME} Edg/140.0`, 'Edge on Linux'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox on macOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604', 'Safari on iOS'],
  ['curl/8.5.0', 'curl'],
  ['something else', 'something else'],
  ['', 'not known'],
])('%s is %s', (agent, name) => {
  expect(deviceName(agent)).toBe(name);
});
