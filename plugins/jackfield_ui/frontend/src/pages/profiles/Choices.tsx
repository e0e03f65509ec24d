import { Select } from '@mantine/core';
import type { Sandbox } from './queries';

const SANDBOXES = [
  { value: 'off', label: 'None' },
  { value: 'standard', label: 'Standard: writes only to its home and working directory' },
  { value: 'strict', label: 'Strict: sees only its home, its working directory and the system' },
];

const KEEPS = [
  { value: 'null', label: 'As the setting terminal.persist says' },
  { value: 'true', label: 'Go on when the daemon restarts' },
  { value: 'false', label: 'End with the daemon' },
];

const ASKS = [
  { value: 'null', label: 'As the agent does by itself' },
  { value: 'inbox', label: 'Ask on the page Approvals' },
];

interface Choice<Value> {
  value: Value;
  onChange: (value: Value) => void;
  error?: string | undefined;
  readOnly?: boolean;
}

export function SandboxSelect({ value, onChange, error, readOnly = false }: Choice<Sandbox>) {
  return (
    <Select
      label="Sandbox"
      data={SANDBOXES}
      value={value}
      onChange={(chosen) => onChange((chosen ?? 'off') as Sandbox)}
      allowDeselect={false}
      error={error}
      disabled={readOnly}
    />
  );
}

export function PersistSelect({ value, onChange, error, readOnly = false }: Choice<boolean | null>) {
  return (
    <Select
      label="Terminal sessions"
      data={KEEPS}
      value={String(value)}
      onChange={(chosen) => onChange(chosen === 'true' ? true : chosen === 'false' ? false : null)}
      allowDeselect={false}
      error={error}
      disabled={readOnly}
    />
  );
}

export function ApprovalsSelect({ value, onChange, error, readOnly = false }: Choice<'inbox' | null>) {
  return (
    <Select
      label="Permissions"
      description="For runs and terminal sessions."
      data={ASKS}
      value={String(value)}
      onChange={(chosen) => onChange(chosen === 'inbox' ? 'inbox' : null)}
      allowDeselect={false}
      error={error}
      disabled={readOnly}
    />
  );
}
