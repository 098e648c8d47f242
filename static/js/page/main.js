/* Entry point of every page. htmx comes first, because the other scripts and hx-ws use its global name. It processes the
   page after this file has run, so that row_swap's swap styles exist before the first frame. */

import "../../vendor/htmx.org/htmx.esm.min.js";
import "../../vendor/htmx.org/hx-ws.min.js";
import { start as rowSwap } from "./row_swap.js";
import { start as popoverDismissal } from "./popover_dismissal.js";
import { start as cutOffText } from "./cut_off_text.js";
import { start as tabAndCluster } from "./tab_and_cluster.js";
import { start as theme } from "./theme.js";
import { start as copy } from "./copy.js";
import { start as shortcuts } from "./shortcuts.js";
import { start as hoverPause } from "./pause.js";
import { start as announcer } from "./announcer.js";
import { start as palette } from "./command_palette.js";
import { start as timestampBubble } from "./timestamp_bubble.js";
import { start as freshness } from "./freshness_popover.js";
import { start as kindsSidebar } from "./kinds_sidebar.js";
import { start as namespaces } from "./namespaces.js";
import { start as ages } from "./ages.js";
import { start as retry } from "./form_retry_countdown.js";
import { start as typedName } from "./typed_name.js";
import { start as timeControl } from "./time_control.js";
import { startAll } from "./start_all.js";

startAll(
  rowSwap, theme, popoverDismissal, cutOffText, tabAndCluster, copy, shortcuts, hoverPause, announcer, palette,
  timestampBubble, freshness, kindsSidebar, namespaces, ages, retry,
  typedName, timeControl,
);
