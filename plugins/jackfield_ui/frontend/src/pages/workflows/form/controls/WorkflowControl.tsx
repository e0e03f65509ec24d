import { api, body } from '../../../../api/client';
import type { OptionSource } from '../useOptions';
import { Locator } from './LocatorControl';
import type { ControlProps } from './props';

const PAGE = 50;

const WORKFLOWS: OptionSource = {
  key: ['workflows', 'choices'],
  searchable: true,
  blocked: '',
  page: async (search, cursor, signal) => {
    const offset = Number(cursor) || 0;
    const query = { search, offset, limit: PAGE };
    const found = await body(api.GET('/api/v1/workflows', { params: { query }, signal }));
    const next = offset + found.data.length;
    return {
      options: found.data.map(({ id, name }) => ({ value: id, label: name })),
      cursor: next < found.total ? String(next) : null,
    };
  },
};

/** One of the stored workflows. */
export function WorkflowControl(props: ControlProps) {
  return <Locator {...props} source={WORKFLOWS} />;
}
