/* Entry point of pages of logs. */

import { start as timeRange } from "../feed/time_range.js";
import { startAll } from "../page/start_all.js";
import { start as logs } from "./logs.js";

startAll(timeRange, logs);
