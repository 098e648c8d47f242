/* Entry point of the page of a terminal. */

import { startAll } from "../page/start_all.js";
import { start as terminal } from "./terminal.js";

startAll(terminal);
