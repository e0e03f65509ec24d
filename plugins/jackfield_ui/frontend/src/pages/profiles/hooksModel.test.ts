import { expect, test } from 'vitest';
import { configOf, rowsOf } from './hooksModel';

const CONFIG = {
  PreToolUse: [
    {
      matcher: 'Bash|Edit',
      hooks: [
        { type: 'command', command: './a.sh', timeout: 30, async: true },
        { type: 'http', url: 'http://127.0.0.1/x' },
      ],
    },
    { matcher: '*', hooks: [{ type: 'prompt', prompt: 'Is it so?' }] },
  ],
  Stop: [{ matcher: '*', hooks: [{ type: 'command', command: 'say done' }] }],
};

test('hooks survive, with what is unknown of them', () => {
  const rows = rowsOf(CONFIG);
  expect(rows.map(({ kind, timeout }) => [kind, timeout])).toEqual([
    ['command', 30],
    ['http', ''],
    ['prompt', ''],
    ['command', ''],
  ]);
  const { config, paths } = configOf(rows);
  expect(config).toEqual(CONFIG);
  expect(paths).toEqual([
    'hooks_config.PreToolUse[0].hooks[0]',
    'hooks_config.PreToolUse[0].hooks[1]',
    'hooks_config.PreToolUse[1].hooks[0]',
    'hooks_config.Stop[0].hooks[0]',
  ]);
});

test('what is no list of hooks gives no rows', () => {
  expect(rowsOf({ Stop: 7, Setup: [{ matcher: 1 }, 'x'] })).toEqual([]);
});
