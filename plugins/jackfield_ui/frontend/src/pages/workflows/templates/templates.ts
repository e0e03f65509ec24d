/** Templates: workflows that a new one starts from. */

import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../../api/client';
import { isRecord } from '../../../api/errors';
import type { Schemas } from '../../../api/types';
import { t } from '../../../language/messages';

export type Template = Schemas['WorkflowTemplateRow'];

export function useTemplates() {
  return useQuery({
    queryKey: ['workflow-templates'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/workflow-templates', { signal })),
    staleTime: 60_000,
  });
}

export function readTemplate(id: string) {
  const path = { template_id: id };
  return body(api.GET('/api/v1/workflow-templates/{template_id}', { params: { path } }));
}

/** Those with all of the words, anywhere in what is shown of them; `category`: empty for all. */
export function fitting(templates: readonly Template[], text: string, category: string): Template[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter((template) => {
    if (category && template.category !== category) return false;
    const { name, description, category: group, nodeTypes } = template;
    const told = [name, description, group, ...nodeTypes].join(' ').toLowerCase();
    return words.every((word) => told.includes(word));
  });
}

export function categoriesOf(templates: readonly Template[]): string[] {
  return [...new Set(templates.map(({ category }) => category))].sort((a, b) => a.localeCompare(b));
}

const NOTE_WIDTH = 260;
const NOTE_GAP = 40;

/** The template's workflow, with a note at its left that says what remains to be done. */
export function documentOfTemplate(template: Schemas['WorkflowTemplateShown']): Schemas['WorkflowDocument'] {
  const { workflow, setup } = template;
  const nodes = Array.isArray(workflow.nodes) ? workflow.nodes.filter(isRecord) : [];
  const steps = [
    ...template.credentials.map(({ node }) => t('Choose a credential in **{node}**.', { node })),
    ...setup,
  ];
  const doc = { ...workflow, name: template.name };
  if (!steps.length) return doc;
  const lefts = nodes.map(({ position }) => (Array.isArray(position) ? Number(position[0]) : 0));
  const note = {
    id: 'to-do',
    name: 'To do',
    type: 'jackfield.stickyNote',
    typeVersion: 1,
    position: [Math.min(0, ...lefts) - NOTE_WIDTH - NOTE_GAP, -NOTE_GAP],
    parameters: {
      content: t('## To do\n\n{steps}', { steps: steps.map((step, index) => `${index + 1}. ${step}`).join('\n') }),
      width: NOTE_WIDTH,
      height: 120 + 70 * steps.length,
    },
  };
  return { ...doc, nodes: [...nodes, note] };
}
