import { VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useEffect, useId } from 'react';
import { Link, useLocation } from 'react-router';
import { IconPuzzle } from '../icons/drawn';
import { t } from '../language/messages';
import { useApprovals } from './approvals';
import { areaPath } from './areas';
import { extensionPath, useExtensions } from './extensions';
import { useOfferedAreas } from './offered';
import { areaAt } from './pages';
import { session, useSession } from './session';
import classes from './shell.module.css';

const ProjectSwitcher = lazy(() => import('./ProjectSwitcher'));
const GROUP_LABELS = { Automation: t('Automation'), Agents: t('Agents'), System: t('System') };
const GROUPS = ['', 'Automation', 'Agents', 'System'] as const;

/** How many things wait for an answer. */
function ApprovalCount() {
  const total = useApprovals('open').data?.total ?? 0;
  if (total === 0) return null;
  return (
    <span className={classes.count}>
      {total}
      <VisuallyHidden> {t('open')}</VisuallyHidden>
    </span>
  );
}

export function Nav() {
  const id = useId();
  const { pathname } = useLocation();
  const here = areaAt(pathname);
  const extensions = useExtensions().data ?? [];
  const offered = useOfferedAreas();
  const { info } = useSession();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every navigation is use of the page, as is every return to it
  useEffect(() => {
    session.look();
    addEventListener('focus', session.look);
    return () => removeEventListener('focus', session.look);
  }, [pathname]);
  return (
    <>
      {info?.projects && (
        <Suspense>
          <ProjectSwitcher />
        </Suspense>
      )}
      {GROUPS.map((group) => {
        const areas = offered.filter((area) => area.group === group);
        const brought = extensions.flatMap(({ name, pages }) =>
          pages.flatMap((page) => (page.group === group ? [{ ...page, to: extensionPath(name, page.name) }] : [])),
        );
        if (areas.length + brought.length === 0) return null;
        return (
          <div key={group}>
            {group && (
              <div className={classes.group} id={`${id}${group}`}>
                {GROUP_LABELS[group]}
              </div>
            )}
            <ul className={classes.list} aria-labelledby={group ? `${id}${group}` : undefined}>
              {areas.map(({ id: area, label, icon: Icon }) => (
                <li key={area}>
                  <Link
                    className={classes.link}
                    to={areaPath(area)}
                    aria-current={here?.id === area ? 'page' : undefined}
                  >
                    <Icon size={18} stroke={1.7} aria-hidden="true" />
                    {label}
                    {area === 'approvals' && <ApprovalCount />}
                  </Link>
                </li>
              ))}
              {brought.map(({ to, label, icon }) => (
                <li key={to}>
                  <Link className={classes.link} to={to} aria-current={pathname === to ? 'page' : undefined}>
                    {icon ? (
                      <span className={classes.shape} style={{ maskImage: `url("${icon}")` }} aria-hidden="true" />
                    ) : (
                      <IconPuzzle size={18} stroke={1.7} aria-hidden="true" />
                    )}
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </>
  );
}
