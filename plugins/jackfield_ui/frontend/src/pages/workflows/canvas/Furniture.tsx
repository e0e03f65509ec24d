import { Background, BackgroundVariant, Controls, MiniMap } from '@xyflow/react';
import type { RefObject } from 'react';
import { t } from '../../../language/messages';
import type { Doc } from '../model/document';
import type { FlowNode as Flow } from './flow';
import { Distance, Ground } from './Ground';

/** From so many nodes on there is an overview. */
const MAP_FROM = 8;

const mapColour = ({ type }: Flow) => (type === 'sticky' ? 'var(--jf-line)' : 'var(--mantine-color-dimmed)');

/** What stands around the nodes: the ground, the buttons of the zoom, the overview. */
export function Furniture({
  doc,
  canvas,
  large,
  touch,
}: {
  doc: Doc;
  canvas: RefObject<HTMLElement | null>;
  large: boolean;
  touch: boolean;
}) {
  return (
    <>
      {/* A pattern is dear to draw again and again; a large canvas has enough to hold on to. */}
      {large ? <Ground doc={doc} /> : <Background variant={BackgroundVariant.Dots} gap={16} size={1} />}
      <Distance canvas={canvas} />
      <Controls showInteractive={false} position="bottom-left" aria-label={t('Zoom')} />
      {doc.nodes.length >= MAP_FROM && !touch && (
        <MiniMap
          position="bottom-right"
          pannable
          zoomable
          ariaLabel={t('Overview')}
          nodeColor={mapColour}
          maskColor="color-mix(in srgb, var(--jf-sunken) 70%, transparent)"
        />
      )}
    </>
  );
}
