/* Entry point of lists. */

import { startAll } from "../page/start_all.js";
import { start as filter } from "./filter.js";
import { start as tableOverflow } from "./table_overflow.js";
import { start as columnWidths } from "./stable_column_widths.js";
import { start as drawer } from "./drawer.js";
import { start as columnPicker } from "./column_picker.js";
import { start as completion } from "./completion.js";
import { start as selection } from "./selection.js";
import { start as logs } from "../logs/logs.js";

startAll(filter, tableOverflow, columnWidths, drawer, columnPicker, completion, selection, logs);
