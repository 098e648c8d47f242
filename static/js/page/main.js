/* Entry point of every page. htmx comes first, because the other scripts and hx-ws use its global name. It processes the
   page after this file has run, so that row_swap's swap styles exist before the first frame. */

import "../../vendor/htmx.org/htmx.esm.min.js";
import "../../vendor/htmx.org/hx-ws.min.js";
import { start as rowSwap } from "./row_swap.js";
import { start as pageFrame } from "./page_frame.js";
import { start as theme } from "./theme.js";
import { start as copy } from "./copy.js";
import { start as shortcuts } from "./shortcuts.js";
import { start as hoverPause } from "./hover_pause.js";
import { start as announcer } from "./announcer.js";
import { start as palette } from "./palette.js";
import { start as timestampBubble } from "./timestamp_bubble.js";
import { start as freshness } from "./freshness.js";
import { start as navigation } from "./kinds_sidebar.js";
import { start as namespaces } from "./namespaces.js";
import { start as ages } from "./ages.js";
import { start as retry } from "./retry.js";
import { startAll } from "./start.js";

startAll(
  rowSwap, theme, pageFrame, copy, shortcuts, hoverPause, announcer, palette, timestampBubble, freshness, navigation,
  namespaces, ages, retry,
);
