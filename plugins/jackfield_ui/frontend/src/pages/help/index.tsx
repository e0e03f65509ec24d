import { NavLink, Skeleton, Stack, Text as Words } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { messageOf } from '../../api/errors';
import { Page } from '../../components/Page';
import { t } from '../../language/messages';
import { chapters, NODE_TYPES, readPage } from './docs';
import classes from './help.module.css';
import { NodeTypes } from './NodeTypes';
import { readNodePage } from './nodePage';
import { Text } from './Text';

const CHAPTERS = chapters();
const FIRST = 'index';

/** The documentation of this version, page by page. */
export default function Help() {
  const { page: named = FIRST, '*': kind } = useParams();
  const page = kind === undefined ? named : NODE_TYPES;
  const listed = kind === '';
  const { hash } = useLocation();
  const text = useQuery({
    queryKey: ['help', page, kind],
    queryFn: async ({ signal }) => (kind ? readNodePage(kind, signal) : ((await readPage(page)) ?? null)),
    enabled: !listed,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
  });
  const title = listed ? t('Node types') : (/^# (.+)$/m.exec(text.data ?? '')?.[1] ?? t('Help'));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is there once the text is
  useEffect(() => {
    const place = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (place) place.scrollIntoView();
  }, [hash, text.data]);
  return (
    <Page title={title.replaceAll('`', '')}>
      <div className={classes.columns}>
        <nav aria-label={t('Pages of the documentation')} className={classes.pages}>
          {CHAPTERS.map((chapter) => (
            <Stack key={chapter.title} gap={0} mb="sm">
              {chapter.title && (
                <Words size="xs" c="dimmed" fw={600} px="sm" py={4}>
                  {chapter.title}
                </Words>
              )}
              {chapter.pages.map(({ name, title: label }) => (
                <NavLink
                  key={name}
                  component={Link}
                  to={`/ui/help/${name}`}
                  label={label}
                  active={name === page}
                  {...(name === page ? { 'aria-current': 'page' as const } : {})}
                />
              ))}
            </Stack>
          ))}
        </nav>
        <article className={classes.article}>
          {listed && <NodeTypes />}
          {!listed && text.isPending && <Skeleton height={320} />}
          {text.error && <Words c="red">{messageOf(text.error)}</Words>}
          {text.data === null && <Words>{t('There is no page with this name. Choose one from the list.')}</Words>}
          {text.data && <Text source={text.data} />}
        </article>
      </div>
    </Page>
  );
}
