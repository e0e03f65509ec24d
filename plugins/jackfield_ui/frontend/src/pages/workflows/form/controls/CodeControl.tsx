import { Input } from '@mantine/core';
import { CodeEditor, type Language } from '../../../../components/CodeEditor';
import { useFormState, useTyped } from '../context';
import { emptied } from '../values';
import { helpOf } from './help';
import type { ControlProps } from './props';

/** Names of languages, as forms and n8n have them, and what colours them. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  javascript: 'javascript',
  javaScript: 'javascript',
  typescript: 'javascript',
  json: 'json',
  rhai: 'rhai',
  markdown: 'markdown',
};

/** In these two braces are a program's own. */
const PROGRAMS: ReadonlySet<string> = new Set(['javascript', 'javaScript', 'typescript', 'python', 'rhai']);

export function CodeControl({ field, value, onChange, error }: ControlProps) {
  const { editable } = useFormState();
  const typed = useTyped();
  const { language, rows } = field.options ?? {};
  const take = (text: string) => {
    if (text === (value ?? '') || (!PROGRAMS.has(String(language)) && typed(text, null))) return;
    onChange(text === '' ? emptied(field) : text);
  };
  return (
    <Input.Wrapper
      label={field.label}
      labelElement="div"
      description={helpOf(field)}
      withAsterisk={field.required === true}
      error={error}
    >
      <CodeEditor
        label={field.label}
        language={LANGUAGES[String(language)] ?? 'text'}
        value={typeof value === 'string' ? value : ''}
        onChange={take}
        minHeight={typeof rows === 'number' ? rows * 20 : 240}
        maxHeight="50dvh"
        placeholder={field.placeholder || undefined}
        readOnly={!editable}
      />
    </Input.Wrapper>
  );
}
