import { AccountMenu } from './AccountMenu';
import { SchemeToggle } from './SchemeToggle';

/** The menus in the page's head. They come after the page. */
export default function HeadMenus() {
  return (
    <>
      <SchemeToggle />
      <AccountMenu />
    </>
  );
}
