/* Entry point of the feed. */

import { start as filter } from "../list/filter.js";
import { startAll } from "../page/start_all.js";
import { start as timeRange } from "./time_range.js";
import { start as feed } from "./feed.js";

startAll(filter, timeRange, feed);
