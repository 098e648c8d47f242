/* Page of a request that got no turn (429): it counts down the seconds after which to send it again. */

import { start } from "./form_retry_countdown.js";

start();
