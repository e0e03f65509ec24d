import { Select } from '@mantine/core';
import { t } from '../../language/messages';
import type { Sandbox } from './queries';

const SANDBOXES = [
  { value: 'off', label: t('None') },
  { value: 'standard', label: t('Standard: writes only to its home and working directory') },
  { value: 'strict', label: t('Strict: sees only its home, its working directory and the system') },
];

const KEEPS = [
  { value: 'null', label: t('As the setting terminal.persist says') },
  { value: 'true', label: t('Go on when the daemon restarts') },
  { value: 'false', label: t('End with the daemon') },
];

const ASKS = [
  { value: 'null', label: t('As the agent does by itself') },
  { value: 'inbox', label: t('Ask on the page Approvals') },
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
      label={t('Sandbox')}
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
      label={t('Terminal sessions')}
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
      label={t('Permissions')}
      description={t('For runs and terminal sessions.')}
      data={ASKS}
      value={String(value)}
      onChange={(chosen) => onChange(chosen === 'inbox' ? 'inbox' : null)}
      allowDeselect={false}
      error={error}
      disabled={readOnly}
    />
  );
}
