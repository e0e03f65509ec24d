import { useSearchParams } from 'react-router';

/** `?new` in the address opens the form that makes one. */
export function useNew(): [boolean, (open: boolean) => void] {
  const [params, setParams] = useSearchParams();
  return [params.has('new'), (open) => setParams(open ? { new: '' } : {}, { replace: true })];
}
