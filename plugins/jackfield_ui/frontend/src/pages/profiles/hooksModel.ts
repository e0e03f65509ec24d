/** Hooks as a list of rows, and back to the form that agents read. Pure. */
import { isRecord } from '../../api/errors';

export const EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'Notification',
  'Stop',
  'PostToolUseFailure',
  'PermissionRequest',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'SubagentStart',
  'SubagentStop',
  'StopFailure',
  'PreCompact',
  'PostCompact',
  'Setup',
  'TeammateIdle',
  'TaskCompleted',
  'ConfigChange',
  'InstructionsLoaded',
  'WorktreeCreate',
  'WorktreeRemove',
  'Elicitation',
  'ElicitationResult',
] as const;
export const KINDS = ['command', 'http', 'prompt', 'agent'] as const;
export type ActionType = (typeof KINDS)[number];

/** One action of one matcher of one event. */
export interface HookRow {
  event: string;
  matcher: string;
  kind: ActionType;
  /** The command, the address or the prompt. */
  text: string;
  /** Seconds; '' for the agent's own limit. */
  timeout: number | '';
  /** What else the action holds, which is the agent's affair. */
  rest: Readonly<Record<string, unknown>>;
}

const FIELD: Record<ActionType, string> = { command: 'command', http: 'url', prompt: 'prompt', agent: 'prompt' };

export function fieldOf(kind: ActionType): string {
  return FIELD[kind];
}

export function rowsOf(config: Readonly<Record<string, unknown>>): HookRow[] {
  return Object.entries(config).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).filter(isRecord).flatMap(({ matcher, hooks }) =>
      (Array.isArray(hooks) ? hooks : []).filter(isRecord).map((action) => {
        const kind = KINDS.find((one) => one === action.type) ?? 'command';
        const { type: _type, timeout, [FIELD[kind]]: text, ...rest } = action;
        return {
          event,
          matcher: typeof matcher === 'string' ? matcher : '*',
          kind,
          text: typeof text === 'string' ? text : '',
          timeout: typeof timeout === 'number' ? timeout : ('' as const),
          rest,
        };
      }),
    ),
  );
}

/** Rows of one event and matcher that follow each other share an entry. `paths`: where each row's action is. */
export function configOf(rows: readonly HookRow[]): { config: Record<string, unknown>; paths: string[] } {
  const config = new Map<string, { matcher: string; hooks: Record<string, unknown>[] }[]>();
  const paths = rows.map(({ event, matcher, kind, text, timeout, rest }) => {
    const entries = config.get(event) ?? [];
    config.set(event, entries);
    if (entries.at(-1)?.matcher !== matcher) entries.push({ matcher, hooks: [] });
    const hooks = entries.at(-1)?.hooks ?? [];
    hooks.push({ type: kind, [FIELD[kind]]: text, ...(timeout === '' ? {} : { timeout }), ...rest });
    return `hooks_config.${event}[${entries.length - 1}].hooks[${hooks.length - 1}]`;
  });
  return { config: Object.fromEntries(config), paths };
}
