import { ActionIcon, Anchor, Button, Group, Select, Slider, Switch, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useParams } from 'react-router';
import { api, body, segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { useShortcuts } from '../../app/shortcuts';
import { useTitle } from '../../app/title';
import { Failure } from '../../components/Failure';
import { IconDownload, IconPlayerPauseFilled, IconPlayerPlayFilled } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type Cast, parseCast, withoutPauses } from './cast';
import { Player } from './playing';
import { SIZES, usePreferences } from './preferences';
import { ofSession, RECORDING, recordingPath } from './queries';
import { Screen } from './screen';
import classes from './terminals.module.css';

const SPEEDS = ['0.5', '1', '2', '4', '8', '16'];
const PAUSE = 2;
const STEP = 5;

/** Plays a session's recording. */
export default function Replay() {
  const { id = '' } = useParams();
  const name = t('Recording of {id}', { id: id.slice(0, 8) });
  useTitle(name);
  const recording = useQuery({
    queryKey: ['sessions', 'recording', id],
    queryFn: async ({ signal }) => {
      const text = await body(api.GET(RECORDING, { ...ofSession(id), parseAs: 'text', signal }));
      return parseCast(text);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <div className={classes.workspace}>
      <Group className={classes.sharedHead} justify="space-between" gap="sm">
        <Group gap="sm">
          <h1 className="jf-hidden">{name}</h1>
          <Text fw={600} aria-hidden="true">
            {name}
          </Text>
          <Anchor component={Link} size="sm" to={`${areaPath('terminals')}/${segment(id)}`}>
            {t('The session')}
          </Anchor>
          <Anchor component={Link} size="sm" to={areaPath('terminals')}>
            {t('All sessions')}
          </Anchor>
        </Group>
        <Button
          component="a"
          href={recordingPath(id)}
          download={`${id}.cast`}
          variant="default"
          leftSection={<IconDownload size={16} />}
        >
          {t('Download')}
        </Button>
      </Group>
      {recording.error ? (
        <div className={classes.player}>
          <Failure error={recording.error} onRetry={() => void recording.refetch()} />
        </div>
      ) : (
        recording.data && <Theatre cast={recording.data} />
      )}
    </div>
  );
}

function Theatre({ cast }: { cast: Cast }) {
  const host = useRef<HTMLElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  const [preferences] = usePreferences();
  const [player, setPlayer] = useState<Player>();
  const [screen, setScreen] = useState<Screen>();
  const [speed, setSpeed] = useState('1');
  const [shortened, shorten] = useState(true);
  const timed = useMemo(() => (shortened ? withoutPauses(cast, PAUSE) : cast), [cast, shortened]);
  const begin = useRef({ look: { ...preferences, dark }, cast: timed });

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = new Screen(begin.current.look, { readOnly: true });
    made.open(element);
    made.accelerate(true);
    const fit = () => made.shrink(element, begin.current.look.fontSize, SIZES.least / 2);
    const playing = new Player(made, begin.current.cast, fit);
    const watcher = new ResizeObserver(fit);
    watcher.observe(element);
    setScreen(made);
    setPlayer(playing);
    playing.play();
    return () => {
      watcher.disconnect();
      playing.dispose();
      made.dispose();
    };
  }, []);
  useEffect(
    () => screen?.look({ ...preferences, dark, fontSize: screen.terminal.options.fontSize ?? preferences.fontSize }),
    [screen, preferences, dark],
  );
  useEffect(() => player?.faster(Number(speed)), [player, speed]);
  useEffect(() => player?.retime(timed), [player, timed]);

  return (
    <>
      <section ref={host} className={classes.screen} data-read-only aria-label={t('The recording')} />
      {player && (
        <Controls player={player} length={timed.length}>
          <Select
            size="xs"
            w={84}
            aria-label={t('Speed')}
            data={SPEEDS.map((value) => ({ value, label: `${value} ×` }))}
            value={speed}
            onChange={(value) => setSpeed(value ?? '1')}
            allowDeselect={false}
          />
          <Switch
            label={t('Pauses of at most {pause} s', { pause: PAUSE })}
            checked={shortened}
            onChange={(event) => shorten(event.currentTarget.checked)}
          />
        </Controls>
      )}
    </>
  );
}

function Controls({ player, length, children }: { player: Player; length: number; children: React.ReactNode }) {
  const { time, running } = useSyncExternalStore(player.subscribe, player.now);
  const toggle = () => (running ? player.pause() : player.play());
  useShortcuts([
    { keys: 'space', label: t('Play or pause'), run: toggle },
    { keys: 'J', label: t('{step} s back', { step: STEP }), run: () => player.seek(time - STEP) },
    { keys: 'L', label: t('{step} s on', { step: STEP }), run: () => player.seek(time + STEP) },
  ]);
  return (
    <Group className={classes.player} gap="md">
      <ActionIcon variant="filled" color="glaze" onClick={toggle} aria-label={running ? t('Pause') : t('Play')}>
        {running ? <IconPlayerPauseFilled size={16} /> : <IconPlayerPlayFilled size={16} />}
      </ActionIcon>
      <Text size="sm" className="jf-nowrap">
        {clock(time)} / {clock(length)}
      </Text>
      <Slider
        flex="1 1 12rem"
        label={clock}
        thumbLabel={t('Place in the recording')}
        min={0}
        max={Math.max(length, 0.1)}
        step={0.1}
        value={time}
        onChange={(value) => player.seek(value)}
      />
      {children}
    </Group>
  );
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
