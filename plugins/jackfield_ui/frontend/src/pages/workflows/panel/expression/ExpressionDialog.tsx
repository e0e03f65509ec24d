import { ActionIcon, Alert, Group, Modal, Text, Title } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { CodeEditor } from '../../../../components/CodeEditor';
import { JsonView } from '../../../../components/JsonView';
import { IconChevronLeft, IconChevronRight, IconX } from '../../../../icons/drawn';
import { t } from '../../../../language/messages';
import { usePanel } from '../context';
import { InputPane } from '../InputPane';
import classes from './dialog.module.css';
import { useDiagnostics } from './useDiagnostics';
import { useExpressionExtensions } from './useExpressionExtensions';
import { type Preview, usePreview } from './usePreview';

/** A template in the large: the input beside it, and below it what it gives for each item. `value` begins with "=". */
export default function ExpressionDialog({
  label,
  value,
  onChange,
  onClose,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onClose: () => void;
}) {
  const { sources, item, onItem, count, editable } = usePanel();
  const template = value.slice(1);
  const preview = usePreview(template);
  const diagnostics = useDiagnostics(template, preview);
  const step = (by: number) => item + by >= 0 && item + by < count && onItem(item + by);
  const extensions = useExpressionExtensions({
    'Mod-Enter': onClose,
    Escape: onClose,
    'Alt-PageUp': () => step(-1),
    'Alt-PageDown': () => step(1),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isOpen(event.target)) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size="min(84rem, calc(100vw - 4rem))"
      centered
      padding={0}
      closeOnEscape={false}
      onKeyDown={onKeyDown}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content classNames={{ content: classes.dialog }} aria-label={t('{label}: expression', { label })}>
        <div className={classes.head}>
          <Title order={2} className={classes.title}>
            {t('{label}: expression', { label })}
          </Title>
          <ActionIcon onClick={onClose} aria-label={t('Close the large editor')}>
            <IconX size={18} aria-hidden="true" />
          </ActionIcon>
        </div>
        <div className={classes.panes} data-input={sources.length > 0 || undefined}>
          {sources.length > 0 && (
            <section className={classes.pane} aria-label={t('Input of the expression')}>
              <Title order={3} size="h5" mb="xs">
                {t('Input')}
              </Title>
              <InputPane sources={sources} item={item} onItem={onItem} />
            </section>
          )}
          <div className={classes.work}>
            <section className={classes.writing} aria-label={t('Expression')}>
              <CodeEditor
                label={t('{label}, large editor', { label })}
                language="template"
                value={template}
                onChange={(text) => onChange(`=${text}`)}
                minHeight={160}
                maxHeight="100%"
                placeholder="{{ $json.field }}"
                extensions={extensions}
                diagnostics={diagnostics}
                readOnly={!editable}
                cursor={template.endsWith('}}') ? template.length - 2 : template.length}
              />
            </section>
            <section className={classes.given} aria-label={t('Result')}>
              <Group justify="space-between" mb="xs" wrap="nowrap">
                <Title order={3} size="h5">
                  {t('Result')}
                </Title>
                {count > 1 && <Items item={item} count={count} onStep={step} />}
              </Group>
              <Given preview={preview} />
            </section>
          </div>
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

/** What closes by the same key first. */
function isOpen(target: EventTarget): boolean {
  return (
    target instanceof Element && target.closest('[role="listbox"], [role="menu"], [aria-expanded="true"]') !== null
  );
}

function Items({ item, count, onStep }: { item: number; count: number; onStep: (by: number) => void }) {
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        size="sm"
        disabled={item === 0}
        onClick={() => onStep(-1)}
        aria-label={t('Result of the previous item')}
        title={t('Previous item (Alt+Page up)')}
      >
        <IconChevronLeft size={14} aria-hidden="true" />
      </ActionIcon>
      <Text size="xs">{t('Item {item} of {count}', { item: item + 1, count })}</Text>
      <ActionIcon
        size="sm"
        disabled={item >= count - 1}
        onClick={() => onStep(1)}
        aria-label={t('Result of the next item')}
        title={t('Next item (Alt+Page down)')}
      >
        <IconChevronRight size={14} aria-hidden="true" />
      </ActionIcon>
    </Group>
  );
}

function Given({ preview: { applies, busy, problem, value } }: { preview: Preview }) {
  return (
    <div className={classes.result} aria-live="polite" aria-busy={busy}>
      {!applies && (
        <Text c="dimmed">
          {t('Write code between two braces, such as {example}.', { example: '{{ $json.name }}' })}
        </Text>
      )}
      {problem && <Alert color="red">{problem.message}</Alert>}
      {applies && !problem && value && <Shown {...value} />}
    </div>
  );
}

function Shown({ given, truncated }: { given: unknown; truncated: boolean }) {
  if (typeof given === 'object' && given !== null) {
    return <JsonView value={given} label={t('Result')} depth={3} maxHeight="100%" />;
  }
  const text =
    given === null || given === undefined ? t('nothing (null)') : given === '' ? t('an empty text') : String(given);
  return (
    <>
      <pre className={classes.text} data-plain={typeof given === 'string' && given !== '' ? undefined : true}>
        {text}
      </pre>
      {truncated && (
        <Text size="xs" c="dimmed">
          {t('The beginning of a long value.')}
        </Text>
      )}
    </>
  );
}
