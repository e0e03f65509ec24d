import type { ApiError } from '../../api/errors';
import type { Pair } from '../../components/KeyValueEditor';
import type { Sandbox } from './queries';

/** A profile that is being made. */
export interface Draft {
  template: string | null;
  agent: string | undefined;
  provider: string | undefined;
  endpoint: string | null;
  model: string;
  key: string;
  /** undefined: as proposed. */
  alias: string | undefined;
  directory: string;
  args: string;
  env: Pair[];
  sandbox: Sandbox;
  persist: boolean | null;
  shim: boolean;
}

export const EMPTY: Draft = {
  template: null,
  agent: undefined,
  provider: undefined,
  endpoint: null,
  model: '',
  key: '',
  alias: undefined,
  directory: '',
  args: '',
  env: [],
  sandbox: 'off',
  persist: null,
  shim: false,
};

const STEPS: Record<string, number> = {
  template: 0,
  agent_id: 0,
  provider_id: 1,
  endpoint_id: 1,
  model: 1,
  api_key: 1,
};

/** Where the first field is that the daemon names. */
export function stepOf({ fields }: ApiError): number {
  return Math.min(...Object.keys(fields).map((name) => STEPS[name.split(/[.[]/)[0] ?? ''] ?? 2), 2);
}
