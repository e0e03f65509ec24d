import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { useTitle } from '../../app/title';
import { notifyError } from '../../components/notify';
import { IconList, IconPlus, IconX } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Bar } from './Bar';
import { guessedSize } from './guessedSize';
import { bars, boxes, type Direction, hasRoom, type Pane, panes } from './layout';
import { NewSession } from './NewSession';
import { ofProfile, startedWith, useSessions, useStart } from './queries';
import { TerminalPane } from './TerminalPane';
import classes from './terminals.module.css';
import { useWorkspaceKeys } from './useWorkspaceKeys';
import { sessionOf, type Tab, useTabs, workspace } from './workspace';

const address = (session: string) => `${areaPath('terminals')}/${segment(session)}`;

/** Tabs of terminals, each split as one likes. The address names the session that is looked at. */
export default function Workspace() {
  const { id = '' } = useParams();
  const tabs = useTabs();
  const sessions = useSessions();
  const navigate = useNavigate();
  const writes = useMay('member');
  const start = useStart();
  const area = useRef<HTMLDivElement>(null);
  const [titles, setTitles] = useState<Record<string, string>>({});
  const [rung, setRung] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<'tab' | Direction>();
  useEffect(() => workspace.open(id), [id]);

  const current = tabs.find((tab) => panes(tab.tree).some(({ session }) => session === id));
  const pane = current && panes(current.tree).find((one) => one.id === current.active);
  const row = sessions.data?.find((one) => one.id === pane?.session);
  const focus = () =>
    area.current?.querySelector<HTMLElement>('[data-current] [data-active] .xterm-helper-textarea')?.focus();
  const nameOf = (tab: Tab) => titles[tab.active] ?? sessionOf(tab).slice(0, 8);
  useTitle(current ? nameOf(current) : t('Terminal'));

  const show = (tab: Tab | undefined) => void navigate(tab ? address(sessionOf(tab)) : areaPath('terminals'));
  const close = (paneId: string) => {
    const at = tabs.findIndex(({ tree }) => panes(tree).some((one) => one.id === paneId));
    workspace.close(paneId);
    const left = workspace.now();
    const here = left.find((tab) => tab.id === tabs[at]?.id);
    if (current?.id === tabs[at]?.id) show(here ?? left[Math.min(at, left.length - 1)]);
  };
  const opened = (session: string) => {
    if (asking === 'tab' || !pane) workspace.open(session);
    else workspace.split(pane.id, asking ?? 'row', session);
    setAsking(undefined);
    void navigate(address(session));
  };
  /** With a session like the one that is split. Where none can be started like it, one is asked for. */
  const split = async (direction: Direction, from: Pane | undefined = pane) => {
    if (!from || start.isPending) return;
    const box = current && boxes(current.tree).get(from.id);
    const { clientWidth: width = 0, clientHeight: height = 0 } = area.current ?? {};
    if (box && !hasRoom(box, direction, { width, height })) {
      notifyError(new Error(t('The pane is too small for two. Close another one, or open a tab.')), t('Not split'));
      return;
    }
    const known = sessions.data?.find(({ id: one }) => one === from.session);
    const like = startedWith(from.session) ?? (known && ofProfile(known));
    if (!like) {
      setAsking(direction);
      return;
    }
    try {
      const session = await start.mutateAsync({ persist: 'where_possible', ...like, ...guessedSize() });
      workspace.split(from.id, direction, session);
      void navigate(address(session));
    } catch (error) {
      notifyError(error, t('Not split'));
    }
  };
  const step = (by: number) => show(tabs[((current ? tabs.indexOf(current) : 0) + by + tabs.length) % tabs.length]);
  const stepPane = (by: number) => {
    if (!current) return;
    const all = panes(current.tree);
    const next = all[(all.findIndex((one) => one.id === current.active) + by + all.length) % all.length];
    if (next) workspace.activate(next.id);
  };
  const onKey = useWorkspaceKeys({
    fresh: () => writes && setAsking('tab'),
    right: () => writes && void split('row'),
    down: () => writes && void split('column'),
    close: () => pane && close(pane.id),
    nextTab: () => step(1),
    previousTab: () => step(-1),
    nextPane: () => stepPane(1),
    previousPane: () => stepPane(-1),
    menu: () => area.current?.querySelector<HTMLElement>('[data-current] [data-active] [data-terminal-menu]')?.focus(),
  });

  return (
    <div className={classes.workspace}>
      {/* The focus that a navigation gives to the heading is the terminal's. */}
      <h1 className="jf-hidden" tabIndex={-1} onFocus={focus}>
        {current ? nameOf(current) : t('Terminal')}
      </h1>
      <Group className={classes.tabs} gap={4} wrap="nowrap">
        <Tooltip label={t('All sessions')}>
          <ActionIcon component={Link} to={areaPath('terminals')} aria-label={t('All sessions')} size="md">
            <IconList size={16} />
          </ActionIcon>
        </Tooltip>
        <nav aria-label={t('Open terminals')} className={classes.tabList}>
          {tabs.map((tab) => (
            <div key={tab.id} className={classes.tab} data-current={tab === current || undefined}>
              <Link
                to={address(sessionOf(tab))}
                aria-current={tab === current ? 'page' : undefined}
                className="jf-ellipsis"
              >
                {panes(tab.tree).some((one) => rung.has(one.id)) && (
                  <span className={classes.bell}>{t('has rung:')} </span>
                )}
                {nameOf(tab)}
                {panes(tab.tree).length > 1 && ` +${panes(tab.tree).length - 1}`}
              </Link>
              <ActionIcon
                size="xs"
                aria-label={t('Close the tab {nameOf}', { nameOf: nameOf(tab) })}
                onClick={() => {
                  for (const one of panes(tab.tree)) close(one.id);
                }}
              >
                <IconX size={12} />
              </ActionIcon>
            </div>
          ))}
        </nav>
        {writes && (
          <Tooltip label={t('New session (Alt+Shift+N)')}>
            <ActionIcon aria-label={t('New session')} size="md" onClick={() => setAsking('tab')}>
              <IconPlus size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      <div className={classes.panes} ref={area}>
        {tabs.flatMap((tab) => {
          const where = boxes(tab.tree);
          const shown = tab === current;
          return panes(tab.tree).map((one, at, all) => {
            const { left = 0, top = 0, width = 100, height = 100 } = where.get(one.id) ?? {};
            return (
              <div
                key={one.id}
                className={classes.pane}
                hidden={!shown}
                data-current={shown || undefined}
                style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
              >
                <TerminalPane
                  key={one.session}
                  id={one.session}
                  row={sessions.data?.find(({ id: known }) => known === one.session)}
                  visible={shown}
                  active={one.id === tab.active}
                  place={all.length > 1 ? t('pane {at} of {all}', { at: at + 1, all: all.length }) : ''}
                  onKey={onKey}
                  actions={{
                    onReplace: (session) => {
                      workspace.replace(one.id, session);
                      void navigate(address(session), { replace: true });
                    },
                    onClose: () => close(one.id),
                    onFocus: () => {
                      if (!shown) return;
                      workspace.activate(one.id);
                      setRung((known) =>
                        known.has(one.id) ? new Set([...known].filter((rang) => rang !== one.id)) : known,
                      );
                      if (one.session !== id) void navigate(address(one.session), { replace: true });
                    },
                    onTitle: (title) => setTitles((known) => ({ ...known, [one.id]: title })),
                    onBell: () => !shown && setRung((known) => new Set([...known, one.id])),
                    onSplit: writes
                      ? (direction) => {
                          workspace.activate(one.id);
                          void split(direction, one);
                        }
                      : undefined,
                    onSplitWith: () => {
                      workspace.activate(one.id);
                      setAsking('row');
                    },
                  }}
                />
              </div>
            );
          });
        })}
        {current &&
          bars(current.tree).map(({ split, box }) => (
            <Bar
              key={split.id}
              split={split}
              box={box}
              area={area}
              onShare={(share) => workspace.share(current.id, split.id, share)}
            />
          ))}
      </div>
      {asking && (
        <NewSession
          title={
            asking === 'tab'
              ? t('New terminal session')
              : asking === 'row'
                ? t('Split to the right')
                : t('Split downwards')
          }
          profile={row?.profile_alias ?? undefined}
          others={asking !== 'tab'}
          inWorkspace
          onOpen={opened}
          onClose={() => {
            setAsking(undefined);
            focus();
          }}
        />
      )}
    </div>
  );
}
