import { t } from '../../language/messages';
import { formOf, versionOf } from './form/model';
import type { FieldChange, NodeChange } from './model/diff';
import { kindOf } from './model/document';
import { fieldWords } from './model/fieldWords';
import { useNodeType } from './queries';
import classes from './versions.module.css';

/** A node's fields before and now, in the words of its form. */
export function NodeFieldChanges({ change: { type, version, fields, states } }: { change: NodeChange }) {
  const { data } = useNodeType(kindOf(type));
  const form = data && formOf(data.forms, version);
  const described = form && { fields: form.fields, states, version: versionOf(form, version) };
  return <FieldChanges fields={fields} words={(path) => fieldWords(path, described)} />;
}

export function FieldChanges({ fields, words }: { fields: readonly FieldChange[]; words: (path: string) => string }) {
  return (
    <dl className={classes.fields}>
      {fields.map(({ path, before, after }) => (
        <div key={path}>
          <dt title={path}>{words(path)}</dt>
          {before !== undefined && (
            <dd data-tone="bad">
              <span className="jf-hidden">{t('before:')} </span>
              {written(before)}
            </dd>
          )}
          {after !== undefined && (
            <dd data-tone="good">
              <span className="jf-hidden">{t('now:')} </span>
              {written(after)}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function written(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}
