import { Select } from '@mantine/core';
import { line } from '../../components/words';
import { t } from '../../language/messages';
import type { Draft } from './draft';
import { type Template, useTemplates } from './queries';

/** Presets to begin with; everything that they give can be changed in the further steps. */
export function TemplateSelect({
  draft,
  put,
  error,
}: {
  draft: Draft;
  put: (change: Partial<Draft>) => void;
  error: string | undefined;
}) {
  const templates = useTemplates().data ?? [];
  if (!templates.length) return null;
  const chosen = templates.find(({ id }) => id === draft.template);
  return (
    <Select
      label={t('Template')}
      placeholder={t('None')}
      description={chosen?.description || undefined}
      data={templates.map(({ id, name, agent_id }) => ({
        value: id,
        label: agent_id ? `${name} (${agent_id})` : name,
      }))}
      value={draft.template}
      clearable
      onChange={(id) => put(startOf(templates.find((one) => one.id === id)))}
      error={error}
    />
  );
}

/** What the template fills in. */
export function startOf(template: Template | undefined): Partial<Draft> {
  if (!template) return { template: null };
  const { agent_id: agent, profile } = template;
  return {
    template: template.id,
    ...(agent ? { agent } : {}),
    ...(typeof profile.provider_id === 'string' ? { provider: profile.provider_id } : {}),
    endpoint: text(profile.endpoint_id) || null,
    model: text(profile.model),
    directory: text(profile.working_dir),
    args: Array.isArray(profile.args) ? line(profile.args.map(String)) : '',
    env: Object.entries(profile.env ?? {}).map(([key, value]) => ({ key, value: String(value) })),
    sandbox: profile.sandbox === 'standard' || profile.sandbox === 'strict' ? profile.sandbox : 'off',
    persist: typeof profile.persist === 'boolean' ? profile.persist : null,
  };
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
