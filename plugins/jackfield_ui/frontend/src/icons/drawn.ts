// Written by tools/icons.mjs: `npm run icons`. The drawings are those of Tabler Icons; LICENSE beside this file is theirs.
import { filled, outlined } from './icon';

export const IconActivity = /* @__PURE__ */ outlined(
  'M3 12h4l3 8l4-16l3 8h4',
);
export const IconAlertOctagon = /* @__PURE__ */ outlined(
  'm12.802 2.165l5.575 2.389c.48.206.863.589 1.07 1.07l2.388 5.574c.22.512.22 1.092 0 1.604l-2.389 5.575c-.206.48-.589.863-1.07 1.07l-5.574 2.388c-.512.22-1.092.22-1.604 0l-5.575-2.389a2.04 2.04 0 0 1-1.07-1.07l-2.388-5.574a2.04 2.04 0 0 1 0-1.604l2.389-5.575c.206-.48.589-.863 1.07-1.07l5.574-2.388a2.04 2.04 0 0 1 1.604 0M12 8v4m0 4h.01',
);
export const IconAlertTriangle = /* @__PURE__ */ outlined(
  'M12 9v4m-1.637-9.409L2.257 17.125a1.914 1.914 0 0 0 1.636 2.871h16.214a1.914 1.914 0 0 0 1.636-2.87L13.637 3.59a1.914 1.914 0 0 0-3.274 0M12 16h.01',
);
export const IconArrowBack = /* @__PURE__ */ outlined(
  'm9 11l-4 4l4 4m-4-4h11a4 4 0 0 0 0-8h-1',
);
export const IconArrowBackUp = /* @__PURE__ */ outlined(
  'm9 14l-4-4l4-4',
  'M5 10h11a4 4 0 1 1 0 8h-1',
);
export const IconArrowDown = /* @__PURE__ */ outlined(
  'M12 5v14m6-6l-6 6m-6-6l6 6',
);
export const IconArrowForwardUp = /* @__PURE__ */ outlined(
  'm15 14l4-4l-4-4',
  'M19 10H8a4 4 0 1 0 0 8h1',
);
export const IconArrowLeft = /* @__PURE__ */ outlined(
  'M5 12h14M5 12l6 6m-6-6l6-6',
);
export const IconArrowMerge = /* @__PURE__ */ outlined(
  'm8 7l4-4l4 4',
  'M12 3v5.394A6.74 6.74 0 0 1 9 14a6.74 6.74 0 0 0-3 5.606V21m6-18v5.394A6.74 6.74 0 0 0 15 14a6.74 6.74 0 0 1 3 5.606V21',
);
export const IconArrowRight = /* @__PURE__ */ outlined(
  'M5 12h14m-6 6l6-6m-6-6l6 6',
);
export const IconArrowUp = /* @__PURE__ */ outlined(
  'M12 5v14m6-8l-6-6m-6 6l6-6',
);
export const IconArrowsDiff = /* @__PURE__ */ outlined(
  'M11 16h10m-10 0l4 4m-4-4l4-4m-2-4H3m10 0l-4 4m4-4L9 4',
);
export const IconArrowsExchange = /* @__PURE__ */ outlined(
  'M7 10h14l-4-4m0 8H3l4 4',
);
export const IconArrowsRightLeft = /* @__PURE__ */ outlined(
  'M21 7H3m15 3l3-3l-3-3M6 20l-3-3l3-3m-3 3h18',
);
export const IconArrowsShuffle2 = /* @__PURE__ */ outlined(
  'm18 4l3 3l-3 3m0 10l3-3l-3-3',
  'M3 7h3a5 5 0 0 1 5 5a5 5 0 0 0 5 5h5',
  'M3 17h3a5 5 0 0 0 5-5a5 5 0 0 1 5-5h5',
);
export const IconArrowsSort = /* @__PURE__ */ outlined(
  'm3 9l4-4l4 4M7 5v14m14-4l-4 4l-4-4m4 4V5',
);
export const IconArrowsSplit = /* @__PURE__ */ outlined(
  'M21 17h-8l-3.5-5H3m18-5h-8l-3.495 5',
  'm18 10l3-3l-3-3m0 16l3-3l-3-3',
);
export const IconBan = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0m2.7-6.3l12.6 12.6',
);
export const IconBolt = /* @__PURE__ */ outlined(
  'M13 3v7h6l-8 11v-7H5z',
);
export const IconBooks = /* @__PURE__ */ outlined(
  'M5 5a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1zm4 0a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1zM5 8h4m0 8h4',
  'm13.803 4.56l2.184-.53c.562-.135 1.133.19 1.282.732l3.695 13.418a1.02 1.02 0 0 1-.634 1.219l-.133.041l-2.184.53c-.562.135-1.133-.19-1.282-.732L13.036 5.82a1.02 1.02 0 0 1 .634-1.219zM14 9l4-1m-2 8l3.923-.98',
);
export const IconBraces = /* @__PURE__ */ outlined(
  'M7 4a2 2 0 0 0-2 2v3a2 3 0 0 1-2 3a2 3 0 0 1 2 3v3a2 2 0 0 0 2 2M17 4a2 2 0 0 1 2 2v3a2 3 0 0 0 2 3a2 3 0 0 0-2 3v3a2 2 0 0 1-2 2',
);
export const IconBrain = /* @__PURE__ */ outlined(
  'M15.5 13a3.5 3.5 0 0 0-3.5 3.5v1a3.5 3.5 0 0 0 7 0v-1.8M8.5 13a3.5 3.5 0 0 1 3.5 3.5v1a3.5 3.5 0 0 1-7 0v-1.8',
  'M17.5 16a3.5 3.5 0 0 0 0-7H17',
  'M19 9.3V6.5a3.5 3.5 0 0 0-7 0M6.5 16a3.5 3.5 0 0 1 0-7H7',
  'M5 9.3V6.5a3.5 3.5 0 0 1 7 0v10',
);
export const IconBroadcast = /* @__PURE__ */ outlined(
  'M18.364 19.364a9 9 0 1 0-12.728 0',
  'M15.536 16.536a5 5 0 1 0-7.072 0',
  'M11 13a1 1 0 1 0 2 0a1 1 0 1 0-2 0',
);
export const IconCalendar = /* @__PURE__ */ outlined(
  'M4 7a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm12-4v4M8 3v4m-4 4h16m-9 4h1m0 0v3',
);
export const IconChartBar = /* @__PURE__ */ outlined(
  'M3 13a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zm12-4a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-4a1 1 0 0 1-1-1zM9 5a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-4a1 1 0 0 1-1-1zM4 20h14',
);
export const IconCheck = /* @__PURE__ */ outlined(
  'm5 12l5 5L20 7',
);
export const IconCheckbox = /* @__PURE__ */ outlined(
  'm9 11l3 3l8-8',
  'M20 12v6a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h9',
);
export const IconChecklist = /* @__PURE__ */ outlined(
  'M9.615 20H7a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v8m-3 5l2 2l4-4M9 8h4m-4 4h2',
);
export const IconChevronDown = /* @__PURE__ */ outlined(
  'm6 9l6 6l6-6',
);
export const IconChevronLeft = /* @__PURE__ */ outlined(
  'm15 6l-6 6l6 6',
);
export const IconChevronRight = /* @__PURE__ */ outlined(
  'm9 6l6 6l-6 6',
);
export const IconChevronUp = /* @__PURE__ */ outlined(
  'm6 15l6-6l6 6',
);
export const IconCircle = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0',
);
export const IconCircleCheck = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0',
  'm9 12l2 2l4-4',
);
export const IconCircleDashed = /* @__PURE__ */ outlined(
  'M8.56 3.69a9 9 0 0 0-2.92 1.95M3.69 8.56A9 9 0 0 0 3 12m.69 3.44a9 9 0 0 0 1.95 2.92m2.92 1.95A9 9 0 0 0 12 21m3.44-.69a9 9 0 0 0 2.92-1.95m1.95-2.92A9 9 0 0 0 21 12m-.69-3.44a9 9 0 0 0-1.95-2.92m-2.92-1.95A9 9 0 0 0 12 3',
);
export const IconCircleFilled = /* @__PURE__ */ filled(
  'M7 3.34a10 10 0 1 1-4.995 8.984L2 12l.005-.324A10 10 0 0 1 7 3.34',
);
export const IconCircleX = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0m7-2l4 4m0-4l-4 4',
);
export const IconClipboard = /* @__PURE__ */ outlined(
  'M9 5H7a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V7a2 2 0 0 0-2-2h-2',
  'M9 5a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2a2 2 0 0 1-2 2h-2a2 2 0 0 1-2-2',
);
export const IconClock = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 0 0-18 0',
  'M12 7v5l3 3',
);
export const IconClockPause = /* @__PURE__ */ outlined(
  'M20.942 13.018a9 9 0 1 0-7.909 7.922',
  'M12 7v5l2 2m3 3v5m4-5v5',
);
export const IconCloudOff = /* @__PURE__ */ outlined(
  'M9.58 5.548q.361-.166.752-.286c1.88-.572 3.956-.193 5.444 1c1.488 1.19 2.162 3.007 1.77 4.769h.99c1.913 0 3.464 1.56 3.464 3.486c0 .957-.383 1.824-1.003 2.454M18 18.004H6.657C4.085 18 2 15.993 2 13.517s2.085-4.482 4.657-4.482c.13-.582.37-1.128.7-1.62M3 3l18 18',
);
export const IconCode = /* @__PURE__ */ outlined(
  'm7 8l-4 4l4 4m10-8l4 4l-4 4M14 4l-4 16',
);
export const IconCoin = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0',
  'M14.8 9A2 2 0 0 0 13 8h-2a2 2 0 1 0 0 4h2a2 2 0 1 1 0 4h-2a2 2 0 0 1-1.8-1M12 7v10',
);
export const IconColumnInsertRight = /* @__PURE__ */ outlined(
  'M6 4h4a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1m9 8h4m-2-2v4',
);
export const IconColumns = /* @__PURE__ */ outlined(
  'M4 6h5.5M4 10h5.5M4 14h5.5M4 18h5.5m5-12H20m-5.5 4H20m-5.5 4H20m-5.5 4H20',
);
export const IconCopy = /* @__PURE__ */ outlined(
  'M7 9.667A2.667 2.667 0 0 1 9.667 7h8.666A2.667 2.667 0 0 1 21 9.667v8.666A2.667 2.667 0 0 1 18.333 21H9.667A2.667 2.667 0 0 1 7 18.333z',
  'M4.012 16.737A2 2 0 0 1 3 15V5c0-1.1.9-2 2-2h10c.75 0 1.158.385 1.5 1',
);
export const IconCopyPlus = /* @__PURE__ */ outlined(
  'M7 9.667A2.667 2.667 0 0 1 9.667 7h8.666A2.667 2.667 0 0 1 21 9.667v8.666A2.667 2.667 0 0 1 18.333 21H9.667A2.667 2.667 0 0 1 7 18.333z',
  'M4.012 16.737A2 2 0 0 1 3 15V5c0-1.1.9-2 2-2h10c.75 0 1.158.385 1.5 1M11 14h6m-3-3v6',
);
export const IconCursorText = /* @__PURE__ */ outlined(
  'M10 12h4M9 4a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3m6-16a3 3 0 0 0-3 3v10a3 3 0 0 0 3 3',
);
export const IconDatabase = /* @__PURE__ */ outlined(
  'M4 6a8 3 0 1 0 16 0A8 3 0 1 0 4 6',
  'M4 6v6a8 3 0 0 0 16 0V6',
  'M4 12v6a8 3 0 0 0 16 0v-6',
);
export const IconDeviceDesktop = /* @__PURE__ */ outlined(
  'M3 5a1 1 0 0 1 1-1h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zm4 15h10m-8-4v4m6-4v4',
);
export const IconDeviceFloppy = /* @__PURE__ */ outlined(
  'M6 4h10l4 4v10a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2',
  'M10 14a2 2 0 1 0 4 0a2 2 0 1 0-4 0m4-10v4H8V4',
);
export const IconDevices = /* @__PURE__ */ outlined(
  'M13 9a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1z',
  'M18 8V5a1 1 0 0 0-1-1H4a1 1 0 0 0-1 1v12a1 1 0 0 0 1 1h9m3-9h2',
);
export const IconDots = /* @__PURE__ */ outlined(
  'M4 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0m7 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0m7 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0',
);
export const IconDotsVertical = /* @__PURE__ */ outlined(
  'M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0m0 7a1 1 0 1 0 2 0a1 1 0 1 0-2 0m0-14a1 1 0 1 0 2 0a1 1 0 1 0-2 0',
);
export const IconDownload = /* @__PURE__ */ outlined(
  'M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2M7 11l5 5l5-5m-5-7v12',
);
export const IconEraser = /* @__PURE__ */ outlined(
  'M19 20H8.5l-4.21-4.3a1 1 0 0 1 0-1.41l10-10a1 1 0 0 1 1.41 0l5 5a1 1 0 0 1 0 1.41L11.5 20m6.5-6.7L11.7 7',
);
export const IconExternalLink = /* @__PURE__ */ outlined(
  'M12 6H6a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-6m-7 1l9-9m-5 0h5v5',
);
export const IconFile = /* @__PURE__ */ outlined(
  'M14 3v4a1 1 0 0 0 1 1h4',
  'M17 21H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7l5 5v11a2 2 0 0 1-2 2',
);
export const IconFileExport = /* @__PURE__ */ outlined(
  'M14 3v4a1 1 0 0 0 1 1h4',
  'M11.5 21H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7l5 5v5m-5 6h7m-3-3l3 3l-3 3',
);
export const IconFileImport = /* @__PURE__ */ outlined(
  'M14 3v4a1 1 0 0 0 1 1h4',
  'M5 13V5a2 2 0 0 1 2-2h7l5 5v11a2 2 0 0 1-2 2h-5.5M2 19h7m-3-3l3 3l-3 3',
);
export const IconFileSearch = /* @__PURE__ */ outlined(
  'M14 3v4a1 1 0 0 0 1 1h4',
  'M12 21H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7l5 5v4.5',
  'M14 17.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0m4.5 2L21 22',
);
export const IconFileText = /* @__PURE__ */ outlined(
  'M14 3v4a1 1 0 0 0 1 1h4',
  'M17 21H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7l5 5v11a2 2 0 0 1-2 2M9 9h1m-1 4h6m-6 4h6',
);
export const IconFilter = /* @__PURE__ */ outlined(
  'M4 4h16v2.172a2 2 0 0 1-.586 1.414L15 12v7l-6 2v-8.5L4.52 7.572A2 2 0 0 1 4 6.227z',
);
export const IconFingerprint = /* @__PURE__ */ outlined(
  'M18.9 7a8 8 0 0 1 1.1 5v1a6 6 0 0 0 .8 3M8 11a4 4 0 0 1 8 0v1a10 10 0 0 0 2 6',
  'M12 11v2a14 14 0 0 0 2.5 8M8 15a18 18 0 0 0 1.8 6m-4.9-2a22 22 0 0 1-.9-7v-1a8 8 0 0 1 12-6.95',
);
export const IconFolder = /* @__PURE__ */ outlined(
  'M5 4h4l3 3h7a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2',
);
export const IconFolderOpen = /* @__PURE__ */ outlined(
  'm5 19l2.757-7.351A1 1 0 0 1 8.693 11H21a1 1 0 0 1 .986 1.164l-.996 5.211A2 2 0 0 1 19.026 19za2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h4l3 3h7a2 2 0 0 1 2 2v2',
);
export const IconFolderPlus = /* @__PURE__ */ outlined(
  'M12 19H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h4l3 3h7a2 2 0 0 1 2 2v3.5M16 19h6m-3-3v6',
);
export const IconFolders = /* @__PURE__ */ outlined(
  'M9 3h3l2 2h5a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2',
  'M17 16v2a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2h2',
);
export const IconForms = /* @__PURE__ */ outlined(
  'M12 3a3 3 0 0 0-3 3v12a3 3 0 0 0 3 3M6 3a3 3 0 0 1 3 3v12a3 3 0 0 1-3 3m7-14h7a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-7M5 7H4a1 1 0 0 0-1 1v8a1 1 0 0 0 1 1h1m12-5h.01M13 12h.01',
);
export const IconGitBranch = /* @__PURE__ */ outlined(
  'M5 18a2 2 0 1 0 4 0a2 2 0 1 0-4 0M5 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0m10 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7 8v8m2 2h6a2 2 0 0 0 2-2v-5',
  'm14 14l3-3l3 3',
);
export const IconHandClick = /* @__PURE__ */ outlined(
  'M8 13V4.5a1.5 1.5 0 0 1 3 0V12m0-.5v-2a1.5 1.5 0 0 1 3 0V12m0-1.5a1.5 1.5 0 0 1 3 0V12',
  'M17 11.5a1.5 1.5 0 0 1 3 0V16a6 6 0 0 1-6 6h-2h.208a6 6 0 0 1-5.012-2.7L7 19q-.468-.718-3.286-5.728a1.5 1.5 0 0 1 .536-2.022a1.87 1.87 0 0 1 2.28.28L8 13M5 3L4 2m0 5H3m11-4l1-1m0 4h1',
);
export const IconHelp = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0m9 5v.01',
  'M12 13.5a1.5 1.5 0 0 1 1-1.5a2.6 2.6 0 1 0-3-4',
);
export const IconHistory = /* @__PURE__ */ outlined(
  'M12 8v4l2 2',
  'M3.05 11a9 9 0 1 1 .5 4m-.5 5v-5h5',
);
export const IconInfoCircle = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 0 0-18 0m9-3h.01',
  'M11 12h1v4h1',
);
export const IconKey = /* @__PURE__ */ outlined(
  'm16.555 3.843l3.602 3.602a2.877 2.877 0 0 1 0 4.069l-2.643 2.643a2.877 2.877 0 0 1-4.069 0l-.301-.301l-6.558 6.558a2 2 0 0 1-1.239.578L5.172 21H4a1 1 0 0 1-.993-.883L3 20v-1.172a2 2 0 0 1 .467-1.284l.119-.13L4 17h2v-2h2v-2l2.144-2.144l-.301-.301a2.877 2.877 0 0 1 0-4.069l2.643-2.643a2.877 2.877 0 0 1 4.069 0M15 9h.01',
);
export const IconKeyboard = /* @__PURE__ */ outlined(
  'M2 8a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2zm4 2v.01m4-.01v.01m4-.01v.01m4-.01v.01M6 14v.01M18 14v.01M10 14l4 .01',
);
export const IconLayoutBoard = /* @__PURE__ */ outlined(
  'M4 6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm0 3h8m0 6h8M12 4v16',
);
export const IconLayoutColumns = /* @__PURE__ */ outlined(
  'M4 6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm8-2v16',
);
export const IconLayoutDashboard = /* @__PURE__ */ outlined(
  'M5 4h4a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1m0 12h4a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1m10-4h4a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-4a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1m0-8h4a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1',
);
export const IconLayoutDistributeHorizontal = /* @__PURE__ */ outlined(
  'M4 4h16M4 20h16M6 11a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v2a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2z',
);
export const IconLayoutRows = /* @__PURE__ */ outlined(
  'M4 6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm0 6h16',
);
export const IconLink = /* @__PURE__ */ outlined(
  'm9 15l6-6m-4-3l.463-.536a5 5 0 0 1 7.071 7.072L18 13m-5 5l-.397.534a5.07 5.07 0 0 1-7.127 0a4.97 4.97 0 0 1 0-7.071L6 11',
);
export const IconList = /* @__PURE__ */ outlined(
  'M9 6h11M9 12h11M9 18h11M5 6v.01M5 12v.01M5 18v.01',
);
export const IconListDetails = /* @__PURE__ */ outlined(
  'M13 5h8m-8 4h5m-5 6h8m-8 4h5M3 5a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zm0 10a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
);
export const IconLock = /* @__PURE__ */ outlined(
  'M5 13a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2z',
  'M11 16a1 1 0 1 0 2 0a1 1 0 0 0-2 0m-3-5V7a4 4 0 1 1 8 0v4',
);
export const IconLogout = /* @__PURE__ */ outlined(
  'M14 8V6a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h7a2 2 0 0 0 2-2v-2',
  'M9 12h12l-3-3m0 6l3-3',
);
export const IconMail = /* @__PURE__ */ outlined(
  'M3 7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  'm3 7l9 6l9-6',
);
export const IconMailPlus = /* @__PURE__ */ outlined(
  'M12 19H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v5.5M16 19h6m-3-3v6',
  'm3 7l9 6l9-6',
);
export const IconMapOff = /* @__PURE__ */ outlined(
  'M8.32 4.34L9 4l6 3l6-3v13m-2.67 1.335L15 20l-6-3l-6 3V7l2.665-1.333M9 4v1m0 4v8m6-10v4m0 4v5M3 3l18 18',
);
export const IconMaximize = /* @__PURE__ */ outlined(
  'M4 8V6a2 2 0 0 1 2-2h2M4 16v2a2 2 0 0 0 2 2h2m8-16h2a2 2 0 0 1 2 2v2m-4 12h2a2 2 0 0 0 2-2v-2',
);
export const IconMessage = /* @__PURE__ */ outlined(
  'M8 9h8m-8 4h6m4-9a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3h-5l-5 3v-3H6a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3z',
);
export const IconMessages = /* @__PURE__ */ outlined(
  'm21 14l-3-3h-7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1zm-7 1v2a1 1 0 0 1-1 1H6l-3 3V11a1 1 0 0 1 1-1h2',
);
export const IconMinus = /* @__PURE__ */ outlined(
  'M5 12h14',
);
export const IconMoon = /* @__PURE__ */ outlined(
  'M12 3h.393a7.5 7.5 0 0 0 7.92 12.446A9 9 0 1 1 12 2.992z',
);
export const IconNote = /* @__PURE__ */ outlined(
  'm13 20l7-7m-7 7v-6a1 1 0 0 1 1-1h6V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2z',
);
export const IconPackage = /* @__PURE__ */ outlined(
  'm12 3l8 4.5v9L12 21l-8-4.5v-9zm0 9l8-4.5M12 12v9m0-9L4 7.5m12-2.25l-8 4.5',
);
export const IconPencil = /* @__PURE__ */ outlined(
  'M4 20h4L18.5 9.5a2.828 2.828 0 1 0-4-4L4 16zm9.5-13.5l4 4',
);
export const IconPin = /* @__PURE__ */ outlined(
  'm15 4.5l-4 4L7 10l-1.5 1.5l7 7L14 17l1.5-4l4-4M9 15l-4.5 4.5M14.5 4L20 9.5',
);
export const IconPinFilled = /* @__PURE__ */ filled(
  'm15.113 3.21l.094.083l5.5 5.5a1 1 0 0 1-1.175 1.59l-3.172 3.171l-1.424 3.797a1 1 0 0 1-.158.277l-.07.08l-1.5 1.5a1 1 0 0 1-1.32.082l-.095-.083L9 16.415l-3.793 3.792a1 1 0 0 1-1.497-1.32l.083-.094L7.585 15l-2.792-2.793a1 1 0 0 1-.083-1.32l.083-.094l1.5-1.5a1 1 0 0 1 .258-.187l.098-.042l3.796-1.425l3.171-3.17a1 1 0 0 1 1.497-1.26z',
);
export const IconPinned = /* @__PURE__ */ outlined(
  'M9 4v6l-2 4v2h10v-2l-2-4V4m-3 12v5M8 4h8',
);
export const IconPinnedOff = /* @__PURE__ */ outlined(
  'm3 3l18 18M15 4.5l-3.249 3.249m-2.57 1.433L7 10l-1.5 1.5l7 7L14 17l.82-2.186m1.43-2.563L19.5 9M9 15l-4.5 4.5M14.5 4L20 9.5',
);
export const IconPlayerPause = /* @__PURE__ */ outlined(
  'M6 6a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1zm8 0a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1z',
);
export const IconPlayerPauseFilled = /* @__PURE__ */ filled(
  'M9 4H7a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h2a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2m8 0h-2a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h2a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2',
);
export const IconPlayerPlay = /* @__PURE__ */ outlined(
  'M7 4v16l13-8z',
);
export const IconPlayerPlayFilled = /* @__PURE__ */ filled(
  'M6 4v16a1 1 0 0 0 1.524.852l13-8a1 1 0 0 0 0-1.704l-13-8A1 1 0 0 0 6 4',
);
export const IconPlayerRecord = /* @__PURE__ */ outlined(
  'M5 12a7 7 0 1 0 14 0a7 7 0 1 0-14 0',
);
export const IconPlayerRecordFilled = /* @__PURE__ */ filled(
  'M8 5.072a8 8 0 1 1-3.995 7.213L4 12l.005-.285A8 8 0 0 1 8 5.072',
);
export const IconPlayerStop = /* @__PURE__ */ outlined(
  'M5 7a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2z',
);
export const IconPlayerTrackNext = /* @__PURE__ */ outlined(
  'M3 5v14l8-7zm11 0v14l8-7z',
);
export const IconPlug = /* @__PURE__ */ outlined(
  'M9.785 6L18 14.215l-2.054 2.054a5.81 5.81 0 1 1-8.215-8.215zM4 20l3.5-3.5M15 4l-3.5 3.5M20 9l-3.5 3.5',
);
export const IconPlugConnected = /* @__PURE__ */ outlined(
  'm7 12l5 5l-1.5 1.5a3.536 3.536 0 1 1-5-5zm10 0l-5-5l1.5-1.5a3.536 3.536 0 1 1 5 5zM3 21l2.5-2.5m13-13L21 3m-11 8l-2 2m5 1l-2 2',
);
export const IconPlus = /* @__PURE__ */ outlined(
  'M12 5v14m-7-7h14',
);
export const IconPower = /* @__PURE__ */ outlined(
  'M7 6a7.75 7.75 0 1 0 10 0m-5-2v8',
);
export const IconProgress = /* @__PURE__ */ outlined(
  'M10 20.777a9 9 0 0 1-2.48-.969M14 3.223a9.003 9.003 0 0 1 0 17.554m-9.421-3.684a9 9 0 0 1-1.227-2.592M3.124 10.5c.16-.95.468-1.85.9-2.675l.169-.305m2.714-2.941A9 9 0 0 1 10 3.223',
);
export const IconPuzzle = /* @__PURE__ */ outlined(
  'M4 7h3a1 1 0 0 0 1-1V5a2 2 0 0 1 4 0v1a1 1 0 0 0 1 1h3a1 1 0 0 1 1 1v3a1 1 0 0 0 1 1h1a2 2 0 0 1 0 4h-1a1 1 0 0 0-1 1v3a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-1a2 2 0 0 0-4 0v1a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1h1a2 2 0 0 0 0-4H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1',
);
export const IconQuestionMark = /* @__PURE__ */ outlined(
  'M8 8a3.5 3 0 0 1 3.5-3h1A3.5 3 0 0 1 16 8a3 3 0 0 1-2 3a3 4 0 0 0-2 4m0 4v.01',
);
export const IconRefresh = /* @__PURE__ */ outlined(
  'M20 11A8.1 8.1 0 0 0 4.5 9M4 5v4h4m-4 4a8.1 8.1 0 0 0 15.5 2m.5 4v-4h-4',
);
export const IconRepeat = /* @__PURE__ */ outlined(
  'M4 12V9a3 3 0 0 1 3-3h13m-3-3l3 3l-3 3m3 3v3a3 3 0 0 1-3 3H4m3 3l-3-3l3-3',
);
export const IconReportAnalytics = /* @__PURE__ */ outlined(
  'M9 5H7a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V7a2 2 0 0 0-2-2h-2',
  'M9 5a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2a2 2 0 0 1-2 2h-2a2 2 0 0 1-2-2m0 12v-5m3 5v-1m3 1v-3',
);
export const IconRobot = /* @__PURE__ */ outlined(
  'M6 6a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2zm6-4v2m-3 8v9m6-9v9M5 16l4-2m6 0l4 2M9 18h6M10 8v.01M14 8v.01',
);
export const IconRoute = /* @__PURE__ */ outlined(
  'M3 19a2 2 0 1 0 4 0a2 2 0 0 0-4 0M19 7a2 2 0 1 0 0-4a2 2 0 0 0 0 4m-8 12h5.5a3.5 3.5 0 0 0 0-7h-8a3.5 3.5 0 0 1 0-7H13',
);
export const IconRss = /* @__PURE__ */ outlined(
  'M4 19a1 1 0 1 0 2 0a1 1 0 1 0-2 0M4 4a16 16 0 0 1 16 16M4 11a9 9 0 0 1 9 9',
);
export const IconSearch = /* @__PURE__ */ outlined(
  'M3 10a7 7 0 1 0 14 0a7 7 0 1 0-14 0m18 11l-6-6',
);
export const IconSelectAll = /* @__PURE__ */ outlined(
  'M8 9a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1zm4 11v.01m4-.01v.01M8 20v.01M4 20v.01M4 16v.01M4 12v.01M4 8v.01M4 4v.01M8 4v.01M12 4v.01M16 4v.01M20 4v.01M20 8v.01M20 12v.01M20 16v.01M20 20v.01',
);
export const IconServer2 = /* @__PURE__ */ outlined(
  'M3 7a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v2a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3zm0 8a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v2a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3zm4-7v.01M7 16v.01M11 8h6m-6 8h6',
);
export const IconSettings = /* @__PURE__ */ outlined(
  'M10.325 4.317c.426-1.756 2.924-1.756 3.35 0a1.724 1.724 0 0 0 2.573 1.066c1.543-.94 3.31.826 2.37 2.37a1.724 1.724 0 0 0 1.065 2.572c1.756.426 1.756 2.924 0 3.35a1.724 1.724 0 0 0-1.066 2.573c.94 1.543-.826 3.31-2.37 2.37a1.724 1.724 0 0 0-2.572 1.065c-.426 1.756-2.924 1.756-3.35 0a1.724 1.724 0 0 0-2.573-1.066c-1.543.94-3.31-.826-2.37-2.37a1.724 1.724 0 0 0-1.065-2.572c-1.756-.426-1.756-2.924 0-3.35a1.724 1.724 0 0 0 1.066-2.573c-.94-1.543.826-3.31 2.37-2.37c1 .608 2.296.07 2.572-1.065',
  'M9 12a3 3 0 1 0 6 0a3 3 0 0 0-6 0',
);
export const IconShare = /* @__PURE__ */ outlined(
  'M3 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0m12-6a3 3 0 1 0 6 0a3 3 0 1 0-6 0m0 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0m-6.3-7.3l6.6-3.4m-6.6 6l6.6 3.4',
);
export const IconShieldCheck = /* @__PURE__ */ outlined(
  'M11.46 20.846A12 12 0 0 1 3.5 6A12 12 0 0 0 12 3a12 12 0 0 0 8.5 3a12 12 0 0 1-.09 7.06M15 19l2 2l4-4',
);
export const IconShieldLock = /* @__PURE__ */ outlined(
  'M12 3a12 12 0 0 0 8.5 3A12 12 0 0 1 12 21A12 12 0 0 1 3.5 6A12 12 0 0 0 12 3',
  'M11 11a1 1 0 1 0 2 0a1 1 0 1 0-2 0m1 1v2.5',
);
export const IconShieldX = /* @__PURE__ */ outlined(
  'M13.252 20.601q-.613.233-1.252.399A12 12 0 0 1 3.5 6A12 12 0 0 0 12 3a12 12 0 0 0 8.5 3a12 12 0 0 1-.19 7.357M22 22l-5-5m0 5l5-5',
);
export const IconSitemap = /* @__PURE__ */ outlined(
  'M3 17a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2v2a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm12 0a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2v2a2 2 0 0 1-2 2h-2a2 2 0 0 1-2-2zM9 5a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2v2a2 2 0 0 1-2 2h-2a2 2 0 0 1-2-2zM6 15v-1a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v1m-6-6v3',
);
export const IconSparkles = /* @__PURE__ */ outlined(
  'M16 18a2 2 0 0 1 2 2a2 2 0 0 1 2-2a2 2 0 0 1-2-2a2 2 0 0 1-2 2m0-12a2 2 0 0 1 2 2a2 2 0 0 1 2-2a2 2 0 0 1-2-2a2 2 0 0 1-2 2M9 18a6 6 0 0 1 6-6a6 6 0 0 1-6-6a6 6 0 0 1-6 6a6 6 0 0 1 6 6',
);
export const IconStack2 = /* @__PURE__ */ outlined(
  'M12 4L4 8l8 4l8-4zm-8 8l8 4l8-4M4 16l8 4l8-4',
);
export const IconSun = /* @__PURE__ */ outlined(
  'M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0m-5 0h1m8-9v1m8 8h1m-9 8v1M5.6 5.6l.7.7m12.1-.7l-.7.7m0 11.4l.7.7m-12.1-.7l-.7.7',
);
export const IconTable = /* @__PURE__ */ outlined(
  'M3 5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 5h18M10 3v18',
);
export const IconTags = /* @__PURE__ */ outlined(
  'M3 8v4.172a2 2 0 0 0 .586 1.414l5.71 5.71a2.41 2.41 0 0 0 3.408 0l3.592-3.592a2.41 2.41 0 0 0 0-3.408l-5.71-5.71A2 2 0 0 0 9.172 6H5a2 2 0 0 0-2 2',
  'm18 19l1.592-1.592a4.82 4.82 0 0 0 0-6.816L15 6m-8 4h-.01',
);
export const IconTerminal2 = /* @__PURE__ */ outlined(
  'm8 9l3 3l-3 3m5 0h3',
  'M3 6a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
);
export const IconTestPipe = /* @__PURE__ */ outlined(
  'M20 8.04L7.878 20.164a2.857 2.857 0 1 1-4.041-4.04L15.959 4M7 13h8m4 2l1.5 1.6a2 2 0 1 1-3 0zM15 3l6 6',
);
export const IconTextDecrease = /* @__PURE__ */ outlined(
  'M4 19V8.5a3.5 3.5 0 1 1 7 0V19m-7-6h7m10-1h-6',
);
export const IconTextIncrease = /* @__PURE__ */ outlined(
  'M4 19V8.5a3.5 3.5 0 1 1 7 0V19m-7-6h7m7-4v6m3-3h-6',
);
export const IconTextWrap = /* @__PURE__ */ outlined(
  'M4 6h16M4 18h5m-5-6h13a3 3 0 0 1 0 6h-4l2-2m0 4l-2-2',
);
export const IconTool = /* @__PURE__ */ outlined(
  'M7 10h3V7L6.5 3.5a6 6 0 0 1 8 8l6 6a2 2 0 0 1-3 3l-6-6a6 6 0 0 1-8-8z',
);
export const IconTrash = /* @__PURE__ */ outlined(
  'M4 7h16m-10 4v6m4-6v6M5 7l1 12a2 2 0 0 0 2 2h8a2 2 0 0 0 2-2l1-12M9 7V4a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v3',
);
export const IconUpload = /* @__PURE__ */ outlined(
  'M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2M7 9l5-5l5 5m-5-5v12',
);
export const IconUser = /* @__PURE__ */ outlined(
  'M8 7a4 4 0 1 0 8 0a4 4 0 0 0-8 0M6 21v-2a4 4 0 0 1 4-4h4a4 4 0 0 1 4 4v2',
);
export const IconUserCheck = /* @__PURE__ */ outlined(
  'M8 7a4 4 0 1 0 8 0a4 4 0 0 0-8 0M6 21v-2a4 4 0 0 1 4-4h4m1 4l2 2l4-4',
);
export const IconUserCog = /* @__PURE__ */ outlined(
  'M8 7a4 4 0 1 0 8 0a4 4 0 0 0-8 0M6 21v-2a4 4 0 0 1 4-4h2.5m4.501 4a2 2 0 1 0 4 0a2 2 0 1 0-4 0m2-3.5V17m0 4v1.5m3.031-5.25l-1.299.75m-3.463 2l-1.3.75m0-3.5l1.3.75m3.463 2l1.3.75',
);
export const IconUserMinus = /* @__PURE__ */ outlined(
  'M8 7a4 4 0 1 0 8 0a4 4 0 0 0-8 0M6 21v-2a4 4 0 0 1 4-4h4q.523.002 1.009.128M16 19h6',
);
export const IconUserOff = /* @__PURE__ */ outlined(
  'M8.18 8.189a4.01 4.01 0 0 0 2.616 2.627m3.507-.545a4 4 0 1 0-5.59-5.552M6 21v-2a4 4 0 0 1 4-4h4c.412 0 .81.062 1.183.178m2.633 2.618c.12.38.184.785.184 1.204v2M3 3l18 18',
);
export const IconUsers = /* @__PURE__ */ outlined(
  'M5 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0M3 21v-2a4 4 0 0 1 4-4h4a4 4 0 0 1 4 4v2m1-17.87a4 4 0 0 1 0 7.75M21 21v-2a4 4 0 0 0-3-3.85',
);
export const IconVariable = /* @__PURE__ */ outlined(
  'M5 4C2.5 9 2.5 14 5 20M19 4c2.5 5 2.5 10 0 16M9 9h1c1 0 1 1 2.016 3.527C13 15 13 16 14 16h1',
  'M8 16c1.5 0 3-2 4-3.5S14.5 9 16 9',
);
export const IconWebhook = /* @__PURE__ */ outlined(
  'M4.876 13.61A4 4 0 1 0 11 17h6',
  'M15.066 20.502A4 4 0 1 0 17 13c-.706 0-1.424.179-2 .5L12 8',
  'M16 8a4 4 0 1 0-8 0c0 1.506.77 2.818 2 3.5L7 17',
);
export const IconWorld = /* @__PURE__ */ outlined(
  'M3 12a9 9 0 1 0 18 0a9 9 0 0 0-18 0m.6-3h16.8M3.6 15h16.8',
  'M11.5 3a17 17 0 0 0 0 18m1-18a17 17 0 0 1 0 18',
);
export const IconX = /* @__PURE__ */ outlined(
  'M18 6L6 18M6 6l12 12',
);
export const IconZoomQuestion = /* @__PURE__ */ outlined(
  'M3 10a7 7 0 1 0 14 0a7 7 0 1 0-14 0m18 11l-6-6m-5-2v.01',
  'M10 10a1.5 1.5 0 1 0-1.14-2.474',
);
