import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/**
 * A component whose code is fetched once. What is here is drawn at once: React holds back for 300 ms whatever follows
 * a sign of waiting, and `lazy` gives such a sign even for code that is here.
 */
export class Fetched<Props> {
  /** undefined: it is not here yet. */
  here: ComponentType<Props> | undefined;
  readonly later: LazyExoticComponent<ComponentType<Props>>;

  constructor(private readonly load: () => Promise<{ default: ComponentType<Props> }>) {
    this.later = lazy(this.fetch);
  }

  readonly fetch = async (): Promise<{ default: ComponentType<Props> }> => {
    const module = await this.load();
    this.here = module.default;
    return module;
  };
}
