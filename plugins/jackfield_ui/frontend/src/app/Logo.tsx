/** The mark: a tile within a tile. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--mantine-color-glaze-7)" />
      <path d="M16 5 27 16 16 27 5 16Z" fill="none" stroke="#fff" strokeWidth="2.4" />
      <path d="M16 11.5 20.5 16 16 20.5 11.5 16Z" fill="#fff" />
    </svg>
  );
}
