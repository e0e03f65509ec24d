/** A text area in place of CodeMirror, for `vi.mock('../../../components/CodeEditor', () => import('./PlainEditor'))`. */
import type { EditorProps } from '../../../components/CodeEditor';

export function CodeEditor({ label, value, onChange, readOnly }: EditorProps) {
  return (
    <textarea
      aria-label={label}
      value={value}
      readOnly={readOnly}
      onChange={(event) => onChange?.(event.currentTarget.value)}
    />
  );
}
