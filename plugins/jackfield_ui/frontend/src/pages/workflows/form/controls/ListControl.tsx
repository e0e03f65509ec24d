import { TagsInput } from '@mantine/core';
import { t } from '../../../../language/messages';
import { useTyped } from '../context';
import { type ControlProps, useCommon } from './props';

/** Texts or numbers that are typed one by one. */
export function ListControl(props: ControlProps) {
  const { field, value, onChange } = props;
  const typed = useTyped();
  const before: readonly unknown[] = Array.isArray(value) ? value : [];
  const number = field.control === 'number' || before.some((one) => typeof one === 'number');
  return (
    <TagsInput
      {...useCommon(props)}
      placeholder={field.placeholder || t('Type and press Enter')}
      value={before.map(String)}
      splitChars={[]}
      onSearchChange={(text) => before.length === 0 && text !== '' && typed(text, null)}
      onChange={(next) => onChange(next.map((text) => asBefore(text, before, number)))}
    />
  );
}

function asBefore(text: string, before: readonly unknown[], number: boolean): unknown {
  const same = before.find((one) => String(one) === text);
  if (same !== undefined) return same;
  return number && text !== '' && String(Number(text)) === text ? Number(text) : text;
}
